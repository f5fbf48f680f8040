// What the program prints. The formats are Heddle's own, in C, and part of the program;
// these are the functions beneath them. Text is kept until its call ends, so that texts
// of several threads do not mix and nobody holds a stream's lock while it waits for an
// event.

static _Thread_local struct {
  char *text;
  size_t used, room;
} heddle_printing;

static char *heddle_room(size_t bytes) {
  if (heddle_printing.room - heddle_printing.used < bytes) {
    size_t room = heddle_printing.room * 2 + bytes + 64;
    char *text = realloc(heddle_printing.text, room);
    if (text == NULL) abort();
    heddle_printing.text = text;
    heddle_printing.room = room;
  }
  return heddle_printing.text + heddle_printing.used;
}

void heddle_w___heddle_put(int c) {
  *heddle_room(1) = (char)c;
  heddle_printing.used++;
}

void heddle_w___heddle_put_literal(const char *text, int length) {
  memcpy(heddle_room((size_t)length), text, (size_t)length);
  heddle_printing.used += (size_t)length;
}

static FILE *heddle_stream(int stream) { return stream == 2 ? stderr : stdout; }

void heddle_w___heddle_put_end(int stream) {
  fwrite(heddle_printing.text, 1, heddle_printing.used, heddle_stream(stream));
  free(heddle_printing.text);
  memset(&heddle_printing, 0, sizeof heddle_printing);
}

// A number as the system writes it: the same directive, with a length of its own.
static int heddle_number(char *to, size_t room, uint64_t spec, uint64_t bits) {
  char format[32], flags[8], conversion = (char)spec, *flag = flags;
  for (int i = 0; i < 5; i++)
    if (spec >> (8 + i) & 1) *flag++ = "-0+ #"[i];
  *flag = 0;
  int width = (int)(spec >> 16 & 0xffffff), precision = (int)(spec >> 40) - 1;
  bool real = strchr("aAeEfFgG", conversion) != NULL;
  const char *length = real || conversion == 'p' ? "" : "ll";
  snprintf(format, sizeof format, "%%%s*.*%s%c", flags, length, conversion);
  // A width of 0 is none, and so is a negative precision.
  if (conversion == 'p') return snprintf(to, room, format, width, precision, (void *)bits);
  if (!real) return snprintf(to, room, format, width, precision, (long long)bits);
  double number;
  memcpy(&number, &bits, sizeof number);
  return snprintf(to, room, format, width, precision, number);
}

int heddle_w___heddle_number_length(uint64_t spec, uint64_t bits) {
  return heddle_number(NULL, 0, spec, bits);
}

int heddle_w___heddle_put_number(uint64_t spec, uint64_t bits) {
  int length = heddle_number(NULL, 0, spec, bits);
  heddle_number(heddle_room((size_t)length + 1), (size_t)length + 1, spec, bits);
  heddle_printing.used += (size_t)length;
  return length;
}

int heddle_w___heddle_number_char(uint64_t spec, uint64_t bits, int index) {
  int length = heddle_number(NULL, 0, spec, bits);
  char *to = heddle_room((size_t)length + 1);
  heddle_number(to, (size_t)length + 1, spec, bits);
  return (unsigned char)to[index];
}

static double heddle_decimal(uint64_t digits, int exponent, int single) {
  char text[64];
  snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, exponent);
  return single ? strtof(text, NULL) : strtod(text, NULL);
}

double heddle_w___heddle_number_double(uint64_t digits, int exponent) {
  return heddle_decimal(digits, exponent, 0);
}
float heddle_w___heddle_number_single(uint64_t digits, int exponent) {
  return (float)heddle_decimal(digits, exponent, 1);
}

void heddle_w___heddle_put_error(int number) {
  char text[256];
  for (const char *c = strerror_r(number, text, sizeof text); *c; c++) heddle_w___heddle_put(*c);
}

void heddle_w___heddle_flush(int stream) { fflush(stream ? heddle_stream(stream) : NULL); }

void heddle_w___heddle_buffering(int stream, int mode) {
  if (stream) setvbuf(heddle_stream(stream), NULL, mode, BUFSIZ);
}
