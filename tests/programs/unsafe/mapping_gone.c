// What was unmapped is gone.
#include <stddef.h>
#include <sys/mman.h>

int main(void) {
    int *page = mmap(NULL, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(page, 100);
    page[0] = 1; //~ VIOLATION: use-after-free
}
