// Lists, search trees and hash tables behind std::list, std::map, std::set and
// std::unordered_map, in C under the mangled names of the GNU C++ library, for C++
// programs under check. Weak, so that the program's own wins.
//
// Trees are not balanced: that changes how long a search takes, not what it finds.

#include <stddef.h>

#define LIBRARY __attribute__((weak))

// ---- std::__detail::_List_node_base

typedef struct Node {
  struct Node *next, *prev;
} Node;

// _M_hook(_List_node_base*)
LIBRARY void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(Node *node, Node *position) {
  node->next = position;
  node->prev = position->prev;
  position->prev->next = node;
  position->prev = node;
}

// _M_unhook()
LIBRARY void _ZNSt8__detail15_List_node_base9_M_unhookEv(Node *node) {
  node->prev->next = node->next;
  node->next->prev = node->prev;
}

// _M_transfer(_List_node_base*, _List_node_base*): moves [first, last) before `position`
LIBRARY void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(Node *position, Node *first,
                                                                  Node *last) {
  if (position == last) return;
  Node *end = last->prev;
  first->prev->next = last;
  last->prev = first->prev;
  Node *before = position->prev;
  before->next = first;
  first->prev = before;
  end->next = position;
  position->prev = end;
}

// _M_reverse()
LIBRARY void _ZNSt8__detail15_List_node_base10_M_reverseEv(Node *list) {
  Node *node = list;
  do {
    Node *next = node->next;
    node->next = node->prev;
    node->prev = next;
    node = next;
  } while (node != list);
}

static void rehang(Node *list, Node *first, Node *last) {
  list->next = first;
  list->prev = last;
  first->prev = list;
  last->next = list;
}

// swap(_List_node_base&, _List_node_base&)
LIBRARY void _ZNSt8__detail15_List_node_base4swapERS0_S1_(Node *x, Node *y) {
  Node old_x = *x, old_y = *y;
  if (old_y.next == y)
    rehang(x, x, x);
  else
    rehang(x, old_y.next, old_y.prev);
  if (old_x.next == x)
    rehang(y, y, y);
  else
    rehang(y, old_x.next, old_x.prev);
}

// ---- std::_Rb_tree_node_base

typedef struct Tree {
  int color;
  struct Tree *parent, *left, *right;
} Tree;

// The header is red; that tells it from the root.
#define BLACK 1

static Tree *successor(Tree *node) {
  if (node->right != NULL) {
    node = node->right;
    while (node->left != NULL) node = node->left;
    return node;
  }
  Tree *parent = node->parent;
  while (node == parent->right) {
    node = parent;
    parent = parent->parent;
  }
  return node->right != parent ? parent : node;
}

static Tree *predecessor(Tree *node) {
  if (node->color != BLACK && node->parent->parent == node) return node->right;
  if (node->left != NULL) {
    node = node->left;
    while (node->right != NULL) node = node->right;
    return node;
  }
  Tree *parent = node->parent;
  while (node == parent->left) {
    node = parent;
    parent = parent->parent;
  }
  return parent;
}

// std::_Rb_tree_increment, std::_Rb_tree_decrement
LIBRARY Tree *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(Tree *node) {
  return successor(node);
}

LIBRARY const Tree *_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(const Tree *node) {
  return successor((Tree *)node);
}

LIBRARY Tree *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(Tree *node) {
  return predecessor(node);
}

LIBRARY const Tree *_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(const Tree *node) {
  return predecessor((Tree *)node);
}

// std::_Rb_tree_insert_and_rebalance. The header holds the root and both ends.
LIBRARY void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(_Bool left,
                                                                               Tree *node,
                                                                               Tree *parent,
                                                                               Tree *header) {
  node->color = BLACK;
  node->parent = parent;
  node->left = node->right = NULL;
  if (parent == header) {
    header->parent = header->left = header->right = node;
  } else if (left) {
    parent->left = node;
    if (parent == header->left) header->left = node;
  } else {
    parent->right = node;
    if (parent == header->right) header->right = node;
  }
}

static void replace(Tree *node, Tree *by, Tree *header) {
  Tree *parent = node->parent;
  if (parent == header)
    header->parent = by;
  else if (parent->left == node)
    parent->left = by;
  else
    parent->right = by;
  if (by != NULL) by->parent = parent;
}

// std::_Rb_tree_rebalance_for_erase: takes the node out
LIBRARY Tree *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(Tree *node,
                                                                           Tree *header) {
  int first = header->left == node, last = header->right == node;
  Tree *after = first ? successor(node) : NULL;
  Tree *before = last ? predecessor(node) : NULL;
  if (first) header->left = after;
  if (last) header->right = first ? header : before;
  if (node->left == NULL) {
    replace(node, node->right, header);
  } else if (node->right == NULL) {
    replace(node, node->left, header);
  } else {
    Tree *next = successor(node);
    if (next->parent != node) {
      replace(next, next->right, header);
      next->right = node->right;
      next->right->parent = next;
    }
    replace(node, next, header);
    next->left = node->left;
    next->left->parent = next;
  }
  return node;
}

// ---- std::__detail::_Prime_rehash_policy

typedef struct {
  float load;
  size_t next_resize;
} Policy;

typedef struct {
  _Bool needed;
  size_t buckets;
} Rehash;

static size_t next_buckets(Policy *policy, size_t least) {
  static const size_t primes[] = {2, 5, 13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273};
  size_t count = least;
  for (size_t at = 0; at < sizeof primes / sizeof *primes; at++) {
    count = primes[at];
    if (count >= least) break;
  }
  if (count < least) count = least | 1;
  policy->next_resize = (size_t)(count * (double)policy->load);
  return count;
}

// _M_next_bkt(unsigned long) const
LIBRARY size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(Policy *policy, size_t least) {
  return next_buckets(policy, least);
}

// _M_need_rehash(unsigned long, unsigned long, unsigned long) const
LIBRARY Rehash _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(Policy *policy,
                                                                         size_t buckets,
                                                                         size_t elements,
                                                                         size_t inserted) {
  Rehash no = {0, 0};
  if (elements + inserted < policy->next_resize) return no;
  size_t least = (size_t)((elements + inserted) / (double)policy->load) + 1;
  if (least <= buckets) {
    policy->next_resize = (size_t)(buckets * (double)policy->load);
    return no;
  }
  Rehash yes = {1, next_buckets(policy, least > 2 * buckets ? least : 2 * buckets)};
  return yes;
}

// std::_Hash_bytes(void const*, unsigned long, unsigned long): FNV-1a
LIBRARY size_t _ZSt11_Hash_bytesPKvmm(const void *data, size_t length, size_t seed) {
  const unsigned char *bytes = data;
  size_t hash = seed;
  for (size_t at = 0; at < length; at++) hash = (hash ^ bytes[at]) * 16777619u;
  return hash;
}
