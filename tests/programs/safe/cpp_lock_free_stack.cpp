// Treiber's stack with std::atomic: pushes of two threads, then all is there. Nodes
// are deleted while others push, and no address is given out twice.
//@ verdict: bounded
//@ models: sc tso pso
//@ algorithms: optimal
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
    int value;
    Node *next;
};

class Stack {
    std::atomic<Node *> top{nullptr};

  public:
    void push(int value) {
        Node *node = new Node{value, top.load(std::memory_order_relaxed)};
        while (!top.compare_exchange_weak(node->next, node, std::memory_order_release,
                                          std::memory_order_relaxed)) {
        }
    }
    Node *take_all() { return top.exchange(nullptr, std::memory_order_acquire); }
};

int main() {
    Stack stack;
    std::thread one([&stack] { stack.push(1); });
    std::thread two([&stack] { stack.push(2); });
    int sum = 0;
    for (Node *node = stack.take_all(); node;) {
        sum += node->value;
        Node *next = node->next;
        delete node;
        node = next;
    }
    one.join();
    two.join();
    for (Node *node = stack.take_all(); node;) {
        sum += node->value;
        Node *next = node->next;
        delete node;
        node = next;
    }
    assert(sum == 3);
}
