// Dates of <time.h>, in C, for programs under check. Every function is weak, so that one of
// the program wins.
//
// The local time is that of Greenwich. Days are counted without loops, which would be
// bounded: with years that begin in March, a leap day is the last of its year, and the
// lengths of months follow a straight line (Richards, "Mapping Time", chapter 25).

#include <stddef.h>

#define LIBRARY __attribute__((weak))

struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  const char *tm_zone;
};

void __heddle_unsupported(const char *what);
int *__errno_location(void);

#define EOVERFLOW 75
#define DAY 86400
// From the first of March of the year 0 to the beginning of 1970.
#define BEFORE_EPOCH 719468
#define DAYS_OF_400_YEARS 146097
// What tm_year is behind.
#define CENTURY 1900

static long long floor_of(long long a, long long b) { return a / b - (a % b < 0); }
static int rest_of(long long a, int b) { return (int)(a - floor_of(a, b) * b); }

// Days from the beginning of 1970 to the first of a month, which counts from January, 0.
static long long first_of(long long year, int month) {
  long long years = month < 2 ? year - 1 : year;
  int months = (month + 10) % 12;
  long long leaps = floor_of(years, 4) - floor_of(years, 100) + floor_of(years, 400);
  return 365 * years + leaps + (153 * months + 2) / 5 - BEFORE_EPOCH;
}

// Whether the year can be told.
static int break_down(long long seconds, struct tm *to) {
  long long days = floor_of(seconds, DAY), shifted = days + BEFORE_EPOCH;
  int rest = rest_of(seconds, DAY);
  long long period = floor_of(shifted, DAYS_OF_400_YEARS);
  int day = rest_of(shifted, DAYS_OF_400_YEARS);
  int years = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  int of_year = day - (365 * years + years / 4 - years / 100);
  int months = (5 * of_year + 2) / 153, month = (months + 2) % 12;
  long long year = period * 400 + years + (month < 2);
  if (year - CENTURY != (int)(year - CENTURY)) return 0;
  *to = (struct tm){.tm_sec = rest % 60,
                    .tm_min = rest / 60 % 60,
                    .tm_hour = rest / 3600,
                    .tm_mday = of_year - (153 * months + 2) / 5 + 1,
                    .tm_mon = month,
                    .tm_year = (int)(year - CENTURY),
                    .tm_wday = rest_of(days + 4, 7),
                    .tm_yday = (int)(days - first_of(year, 0)),
                    .tm_zone = "GMT"};
  return 1;
}

static struct tm *told(long seconds, struct tm *to) {
  if (break_down(seconds, to)) return to;
  *__errno_location() = EOVERFLOW;
  return NULL;
}

// What the functions without `_r` leave their results in, for all threads.
static struct tm date;
static char text[64];

LIBRARY struct tm *gmtime_r(const long *seconds, struct tm *to) { return told(*seconds, to); }
LIBRARY struct tm *localtime_r(const long *seconds, struct tm *to) { return told(*seconds, to); }
LIBRARY struct tm *gmtime(const long *seconds) { return told(*seconds, &date); }
LIBRARY struct tm *localtime(const long *seconds) { return told(*seconds, &date); }
LIBRARY void tzset(void) {}

// Fields may be out of their ranges, and are put into them.
static long seconds_of(struct tm *from) {
  long long months = from->tm_year * 12LL + from->tm_mon;
  long long days = first_of(CENTURY + floor_of(months, 12), rest_of(months, 12)) + from->tm_mday - 1;
  long long seconds = days * DAY + from->tm_hour * 3600LL + from->tm_min * 60LL + from->tm_sec;
  if (seconds != (long)seconds || told((long)seconds, from) == NULL) {
    *__errno_location() = EOVERFLOW;
    return -1;
  }
  return (long)seconds;
}

LIBRARY long timegm(struct tm *from) { return seconds_of(from); }
LIBRARY long mktime(struct tm *from) { return seconds_of(from); }

static const char *const DAYS[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                   "Thursday", "Friday", "Saturday"};
static const char *const MONTHS[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};

// What is written so far, as far as it fits.
typedef struct {
  char *to;
  size_t room, used;
} Text;

static void put(Text *text, char c) {
  if (text->used < text->room) text->to[text->used] = c;
  text->used++;
}

static void put_text(Text *text, const char *s, int most) {
  for (int i = 0; i != most && s[i] != '\0'; i++) put(text, s[i]);
}

static void put_number(Text *text, long long number, int width, char pad) {
  unsigned long long rest = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
  if (number < 0) put(text, '-'), width--;
  unsigned long long unit = 1;
  int digits = 1;
  for (; rest / unit >= 10; digits++) unit *= 10;
  for (; digits < width; width--) put(text, pad);
  for (; unit > 0; unit /= 10) put(text, (char)('0' + rest / unit % 10));
}

static void put_name(Text *text, const char *const *names, int count, int at, int most) {
  if (at < 0 || at >= count) put(text, '?');
  else put_text(text, names[at], most);
}

static int is_leap(long long year) {
  return rest_of(year, 4) == 0 && (rest_of(year, 100) != 0 || rest_of(year, 400) == 0);
}

// The week by ISO 8601, and the year that it belongs to: that of its Thursday.
static int iso_week(const struct tm *from, long long *year) {
  int weekday = (from->tm_wday + 6) % 7, thursday = from->tm_yday - weekday + 3;
  *year = CENTURY + (long long)from->tm_year;
  if (thursday < 0) {
    *year -= 1;
    return (thursday + 365 + is_leap(*year)) / 7 + 1;
  }
  int length = 365 + is_leap(*year);
  if (thursday < length) return thursday / 7 + 1;
  *year += 1;
  return 1;
}

static void put_fields(Text *text, const char *format, const struct tm *from);

static void put_field(Text *text, char letter, const struct tm *from) {
  long long year = CENTURY + (long long)from->tm_year, of_week;
  int hour = from->tm_hour % 12 == 0 ? 12 : from->tm_hour % 12, week;
  switch (letter) {
  case 'a': return put_name(text, DAYS, 7, from->tm_wday, 3);
  case 'A': return put_name(text, DAYS, 7, from->tm_wday, -1);
  case 'b':
  case 'h': return put_name(text, MONTHS, 12, from->tm_mon, 3);
  case 'B': return put_name(text, MONTHS, 12, from->tm_mon, -1);
  case 'c': return put_fields(text, "%a %b %e %H:%M:%S %Y", from);
  case 'C': return put_number(text, floor_of(year, 100), 1, '0');
  case 'd': return put_number(text, from->tm_mday, 2, '0');
  case 'D':
  case 'x': return put_fields(text, "%m/%d/%y", from);
  case 'e': return put_number(text, from->tm_mday, 2, ' ');
  case 'F': return put_fields(text, "%Y-%m-%d", from);
  case 'g':
    iso_week(from, &of_week);
    return put_number(text, rest_of(of_week, 100), 2, '0');
  case 'G':
    iso_week(from, &of_week);
    return put_number(text, of_week, 1, '0');
  case 'H': return put_number(text, from->tm_hour, 2, '0');
  case 'I': return put_number(text, hour, 2, '0');
  case 'j': return put_number(text, from->tm_yday + 1, 3, '0');
  case 'k': return put_number(text, from->tm_hour, 2, ' ');
  case 'l': return put_number(text, hour, 2, ' ');
  case 'm': return put_number(text, from->tm_mon + 1, 2, '0');
  case 'M': return put_number(text, from->tm_min, 2, '0');
  case 'n': return put(text, '\n');
  case 'p': return put_text(text, from->tm_hour >= 12 ? "PM" : "AM", -1);
  case 'P': return put_text(text, from->tm_hour >= 12 ? "pm" : "am", -1);
  case 'r': return put_fields(text, "%I:%M:%S %p", from);
  case 'R': return put_fields(text, "%H:%M", from);
  case 's': {
    struct tm copy = *from;
    return put_number(text, seconds_of(&copy), 1, '0');
  }
  case 'S': return put_number(text, from->tm_sec, 2, '0');
  case 't': return put(text, '\t');
  case 'T':
  case 'X': return put_fields(text, "%H:%M:%S", from);
  case 'u': return put_number(text, (from->tm_wday + 6) % 7 + 1, 1, '0');
  case 'U': return put_number(text, (from->tm_yday - from->tm_wday + 7) / 7, 2, '0');
  case 'V':
    week = iso_week(from, &of_week);
    return put_number(text, week, 2, '0');
  case 'w': return put_number(text, from->tm_wday, 1, '0');
  case 'W': return put_number(text, (from->tm_yday - (from->tm_wday + 6) % 7 + 7) / 7, 2, '0');
  case 'y': return put_number(text, rest_of(year, 100), 2, '0');
  case 'Y': return put_number(text, year, 1, '0');
  case 'z': return put_text(text, "+0000", -1);
  case 'Z': return put_text(text, from->tm_zone ? from->tm_zone : "", -1);
  case '%': return put(text, '%');
  default: __heddle_unsupported("strftime() with this conversion");
  }
}

static void put_fields(Text *text, const char *format, const struct tm *from) {
  for (; *format != '\0'; format++) {
    if (*format != '%') {
      put(text, *format);
      continue;
    }
    format++;
    // Other calendars and digits than the usual ones, where the language has some.
    if (*format == 'E' || *format == 'O') format++;
    put_field(text, *format, from);
  }
}

LIBRARY size_t strftime(char *to, size_t size, const char *format, const struct tm *from) {
  Text text = {to, size, 0};
  put_fields(&text, format, from);
  if (text.used >= size) return 0;
  to[text.used] = '\0';
  return text.used;
}

LIBRARY char *asctime_r(const struct tm *from, char *to) {
  Text text = {to, 64, 0};
  put_name(&text, DAYS, 7, from->tm_wday, 3);
  put(&text, ' ');
  put_name(&text, MONTHS, 12, from->tm_mon, 3);
  put_number(&text, from->tm_mday, 3, ' ');
  put_fields(&text, " %H:%M:%S %Y\n", from);
  put(&text, '\0');
  return to;
}

LIBRARY char *asctime(const struct tm *from) { return asctime_r(from, text); }

LIBRARY char *ctime_r(const long *seconds, char *to) {
  struct tm broken;
  return told(*seconds, &broken) ? asctime_r(&broken, to) : NULL;
}

LIBRARY char *ctime(const long *seconds) { return ctime_r(seconds, text); }
