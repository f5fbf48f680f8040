// A function that nobody knows stops where it is called, with its name.
extern int mystery(int);

int main(void) {
    return mystery(3); //~ UNSUPPORTED: mystery
}
