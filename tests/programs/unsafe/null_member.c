// A member of a struct at null has a small address, not zero.
struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node only = {1, 0};
    return only.next->next == 0; //~ VIOLATION: null-dereference
}
