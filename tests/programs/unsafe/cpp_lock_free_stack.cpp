// A stack whose pop reads a node that another pop may have deleted.
#include <atomic>
#include <thread>

struct Node {
    int value;
    Node *next;
};

static std::atomic<Node *> top;

static bool pop(int &value) {
    Node *node = top.load();
    while (node && !top.compare_exchange_weak(node, node->next)) { //~ VIOLATION: use-after-free
    }
    if (!node) return false;
    value = node->value;
    delete node;
    return true;
}

int main() {
    top = new Node{1, nullptr};
    int a, b;
    std::thread one([&a] { pop(a); });
    std::thread two([&b] { pop(b); });
    one.join();
    two.join();
}
