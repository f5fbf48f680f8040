// Options of the command line (POSIX, getopt; long ones as the GNU C library has them), in C,
// for programs under check. Weak, so that the program's own wins.
//
// Arguments are taken in their order: the first that is no option ends the options, as POSIX
// has it; the GNU C library would move it behind the others.

#include <stddef.h>

#define LIBRARY __attribute__((weak))
#define DATA __attribute__((weak))

void __heddle_unsupported(const char *what);

DATA char *optarg;
DATA int optind = 1;
DATA int opterr = 1;
DATA int optopt;

struct option {
  const char *name;
  int has_arg;
  int *flag;
  int val;
};

// Where the next letter of a group such as `-abc` stands, 0 if none was begun.
static int letter;

static int is_equal(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

// Whether an option comes next. The GNU C library goes on behind other arguments.
static int is_at_option(int count, char *const *arguments, const char *letters) {
  if (optind >= count || !arguments[optind]) return 0;
  const char *text = arguments[optind];
  if (text[0] == '-' && text[1]) return 1;
  if (*letters == '+') return 0;
  if (*letters == '-') __heddle_unsupported("options mixed with other arguments");
  for (int i = optind + 1; i < count; i++)
    if (arguments[i][0] == '-' && arguments[i][1])
      __heddle_unsupported("options behind other arguments");
  return 0;
}

static int missing_argument(const char *letters) {
  if (*letters == '+' || *letters == '-') letters++;
  return *letters == ':' ? ':' : '?';
}

static int short_option(int count, char *const *arguments, const char *letters) {
  const char *text = arguments[optind];
  if (!letter) letter = 1;
  char c = text[letter++];
  const char *found = letters;
  if (*found == '+' || *found == '-') found++;
  while (*found && (*found != c || c == ':')) found++;
  int is_last = !text[letter];
  if (!*found) {
    optopt = (unsigned char)c;
    if (is_last) optind++, letter = 0;
    return '?';
  }
  if (found[1] != ':') {
    if (is_last) optind++, letter = 0;
    return (unsigned char)c;
  }
  optind++;
  optarg = NULL;
  if (!is_last) optarg = (char *)text + letter;
  else if (found[2] != ':') {
    if (optind >= count) {
      letter = 0;
      optopt = (unsigned char)c;
      return missing_argument(letters);
    }
    optarg = arguments[optind++];
  }
  letter = 0;
  return (unsigned char)c;
}

LIBRARY int getopt(int count, char *const *arguments, const char *letters) {
  if (optind == 0) optind = 1, letter = 0;
  if (!letter) {
    if (!is_at_option(count, arguments, letters)) return -1;
    if (is_equal(arguments[optind], "--")) return optind++, -1;
  }
  return short_option(count, arguments, letters);
}

// The length of what `text` and the name have in common, if that is all of the text before `=`.
static int matches(const char *text, const char *name) {
  int length = 0;
  while (text[length] && text[length] != '=' && text[length] == name[length]) length++;
  return text[length] && text[length] != '=' ? -1 : length;
}

static int find_option(const char *text, const struct option *options) {
  int found = -1;
  for (int i = 0; options[i].name; i++) {
    int length = matches(text, options[i].name);
    if (length < 0) continue;
    if (!options[i].name[length]) return i;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

LIBRARY int getopt_long(int count, char *const *arguments, const char *letters,
                        const struct option *options, int *index) {
  if (optind == 0) optind = 1, letter = 0;
  if (letter) return short_option(count, arguments, letters);
  if (!is_at_option(count, arguments, letters)) return -1;
  const char *text = arguments[optind];
  if (is_equal(text, "--")) return optind++, -1;
  if (text[1] != '-') return short_option(count, arguments, letters);
  int found = find_option(text + 2, options);
  optind++;
  optopt = 0;
  if (found < 0) return '?';
  const char *value = text;
  while (*value && *value != '=') value++;
  optarg = NULL;
  if (*value && options[found].has_arg == 0) return '?';
  if (*value) optarg = (char *)value + 1;
  else if (options[found].has_arg == 1) {
    if (optind >= count) {
      optopt = options[found].flag ? 0 : options[found].val;
      return missing_argument(letters);
    }
    optarg = arguments[optind++];
  }
  if (index) *index = found;
  if (!options[found].flag) return options[found].val;
  *options[found].flag = options[found].val;
  return 0;
}
