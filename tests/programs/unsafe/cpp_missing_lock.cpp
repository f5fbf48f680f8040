// One of two threads forgets the lock: an update is lost.
//@ models: sc tso pso
//@ algorithms: optimal
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
    std::mutex m;
    int balance = 100;

    void deposit(int amount) {
        std::lock_guard<std::mutex> guard(m);
        balance += amount;
    }
    void withdraw(int amount) { balance -= amount; }
};

int main() {
    Account account;
    std::thread one(&Account::deposit, &account, 50);
    std::thread two(&Account::withdraw, &account, 30);
    one.join();
    two.join();
    assert(account.balance == 120); //~ VIOLATION: assertion
}
