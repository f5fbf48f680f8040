// Calls main with any arguments, in C, for programs under check (`--args any`): up to two
// after the program's name, of up to two characters each. That there are no more and no
// longer ones is a bound of the verdict.

#define LIBRARY

_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
void __heddle_short_arguments(void);
int main(int count, char **arguments, char **environment);

#define MOST 2
#define LENGTH 2

static void fill(char *text) {
  for (int i = 0; i < LENGTH; i++) text[i] = __VERIFIER_nondet_char();
  text[LENGTH] = 0;
}

LIBRARY int __heddle_start(void) {
  char name[] = "program";
  char texts[MOST][LENGTH + 1];
  char *arguments[1 + MOST + 1] = {name};
  char *environment[1] = {0};
  int count = 1;
  while (count <= MOST && __VERIFIER_nondet_bool()) {
    fill(texts[count - 1]);
    arguments[count] = texts[count - 1];
    count++;
  }
  __heddle_short_arguments();
  return main(count, arguments, environment);
}
