// Containers of the library, as far as they need code of it: strings, lists, trees,
// hash tables.
//@ algorithms: optimal
#include <cassert>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

static void strings() {
    std::string text("short");
    text += " and then longer than what fits inside";
    assert(text.size() == 43 && text.substr(0, 5) == "short" && text.find("then") == 10);
    assert(std::to_string(-17) == "-17" && std::stoi("21") == 21);
}

static void trees() {
    std::map<int, int> map;
    for (int i : {5, 2, 8, 1, 9, 3}) map[i] = i * i;
    int last = 0, count = 0;
    for (const auto &[key, value] : map) {
        assert(key > last && value == key * key);
        last = key;
        count++;
    }
    assert(count == 6 && map.rbegin()->first == 9);
    map.erase(5);
    map.erase(9);
    map.erase(1);
    assert(map.size() == 3 && map.begin()->first == 2 && map.rbegin()->first == 8);
    assert(map.count(5) == 0 && map.count(3) == 1);
    std::set<std::string> words{"b", "a", "b"};
    assert(words.size() == 2 && *words.begin() == "a");
}

int main() {
    strings();
    trees();
    std::list<int> list{3, 1, 2};
    list.sort();
    assert(list.front() == 1 && list.back() == 3);
    list.reverse();
    assert(list.front() == 3 && *std::next(list.begin()) == 2);
    list.remove(2);
    assert(list.size() == 2);
    std::unordered_map<std::string, int> ages;
    for (int i = 0; i < 20; i++) ages[std::to_string(i)] = i;
    assert(ages.size() == 20 && ages["13"] == 13);
    std::deque<int> deque;
    for (int i = 0; i < 200; i++) deque.push_back(i);
    deque.pop_front();
    assert(deque.front() == 1 && deque.back() == 199);
    std::priority_queue<int> queue;
    for (int i : {1, 3, 2}) queue.push(i);
    assert(queue.top() == 3);
    std::vector<std::function<int(int)>> functions;
    functions.push_back([&queue](int n) { return n + queue.top(); });
    assert(functions[0](1) == 4);
}
