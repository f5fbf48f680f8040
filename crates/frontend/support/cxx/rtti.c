// Types at run time, as the Itanium C++ ABI lays them out (section 2.9.4), in C, for C++
// programs under check: which handler takes which exception, and dynamic_cast. Weak, so
// that the program's own wins.

#include <stddef.h>

#define LIBRARY __attribute__((weak))
#define DATA __attribute__((weak))

typedef struct Type {
  // Says which of those below it is.
  const void *const *kind;
  const char *name;
} Type;

// A class with one base, at offset 0.
typedef struct {
  Type type;
  const Type *base;
} Single;

typedef struct {
  const Type *type;
  // The offset, or where in the table of the object it stands; then flags.
  long offset_and_flags;
} Base;

enum { VIRTUAL = 1, PUBLIC = 2, OFFSET_SHIFT = 8 };

typedef struct {
  Type type;
  unsigned flags;
  unsigned count;
  Base bases[];
} Multiple;

typedef struct {
  Type type;
  // What may be done to what it points at, in bits: const and the like.
  unsigned flags;
  const Type *to;
} Pointer;

enum { QUALIFIERS = 7, NO_FUNCTION = 0x60 };

// vtable for __cxxabiv1::__class_type_info and its like; types point behind the first two
// words. Nobody calls what would stand there.
#define KIND(table) (&table[2])
DATA const void *const _ZTVN10__cxxabiv117__class_type_infoE[8] = {0};
DATA const void *const _ZTVN10__cxxabiv120__si_class_type_infoE[8] = {0};
DATA const void *const _ZTVN10__cxxabiv121__vmi_class_type_infoE[8] = {0};
DATA const void *const _ZTVN10__cxxabiv119__pointer_type_infoE[8] = {0};
DATA const void *const _ZTVN10__cxxabiv123__fundamental_type_infoE[8] = {0};
DATA const void *const _ZTVN10__cxxabiv116__enum_type_infoE[8] = {0};
DATA const void *const _ZTVN10__cxxabiv120__function_type_infoE[8] = {0};
DATA const void *const _ZTVN10__cxxabiv117__array_type_infoE[8] = {0};
DATA const void *const _ZTVN10__cxxabiv129__pointer_to_member_type_infoE[8] = {0};

// typeinfo for abi::__forced_unwind, which nothing here throws
DATA const Type _ZTIN10__cxxabiv115__forced_unwindE = {
    &_ZTVN10__cxxabiv117__class_type_infoE[2], "N10__cxxabiv115__forced_unwindE"};

static int is_kind(const Type *type, const void *const *table) { return type->kind == table + 2; }

// All of a program is linked into one, so that names are the same if types are.
static int is_same(const Type *one, const Type *other) {
  return one == other || one->name == other->name;
}

// ---- Bases of classes

// Where the bases of one type were found in an object.
typedef struct {
  const Type *wanted;
  char *found;
  // Public all the way; there are several; there is no object, so that addresses say only
  // which are the same.
  int open, ambiguous, blind;
} Search;

static void note(Search *search, char *object, int open) {
  if (search->found == NULL || search->found == object) {
    search->found = object;
    search->open |= open;
  } else {
    search->ambiguous = 1;
  }
}

static char *base_at(char *object, const Base *base, int blind) {
  long offset = base->offset_and_flags >> OFFSET_SHIFT;
  if (base->offset_and_flags & VIRTUAL) {
    // There is one of its type only.
    if (blind) return (char *)base->type;
    offset = *(long *)(*(char **)object + offset);
  }
  return object + offset;
}

static void search_bases(Search *search, const Type *type, char *object, int open) {
  if (is_same(type, search->wanted)) {
    note(search, object, open);
  } else if (is_kind(type, _ZTVN10__cxxabiv120__si_class_type_infoE)) {
    search_bases(search, ((const Single *)type)->base, object, open);
  } else if (is_kind(type, _ZTVN10__cxxabiv121__vmi_class_type_infoE)) {
    const Multiple *class = (const Multiple *)type;
    for (unsigned at = 0; at < class->count; at++) {
      const Base *base = &class->bases[at];
      int leads = open && (base->offset_and_flags & PUBLIC);
      search_bases(search, base->type, base_at(object, base, search->blind), leads);
    }
  }
}

// The only public base of a type, or the object itself. Without an object, what is found is
// not told.
static int find_base(const Type *wanted, const Type *type, char **object) {
  Search search = {wanted, NULL, 0, 0, *object == NULL};
  search_bases(&search, type, *object != NULL ? *object : (char *)type, 1);
  if (search.found == NULL || !search.open || search.ambiguous) return 0;
  if (*object != NULL) *object = search.found;
  return 1;
}

static int is_class(const Type *type) {
  return is_kind(type, _ZTVN10__cxxabiv117__class_type_infoE) ||
         is_kind(type, _ZTVN10__cxxabiv120__si_class_type_infoE) ||
         is_kind(type, _ZTVN10__cxxabiv121__vmi_class_type_infoE);
}

// ---- Handlers ([except.handle])

static int is_void(const Type *type) { return type->name[0] == 'v' && type->name[1] == 0; }
static int is_nullptr(const Type *type) {
  return type->name[0] == 'D' && type->name[1] == 'n' && type->name[2] == 0;
}

static int is_pointer(const Type *type) {
  return is_kind(type, _ZTVN10__cxxabiv119__pointer_type_infoE);
}

// The same but for qualifiers, which may be added at each level if the levels above are const.
static int is_similar(const Pointer *handler, const Pointer *thrown, int is_const) {
  if ((thrown->flags & ~handler->flags & QUALIFIERS) != 0) return 0;
  if (!is_const && ((handler->flags ^ thrown->flags) & QUALIFIERS) != 0) return 0;
  if (is_same(handler->to, thrown->to)) return 1;
  if (!is_pointer(handler->to) || !is_pointer(thrown->to)) return 0;
  return is_similar((const Pointer *)handler->to, (const Pointer *)thrown->to,
                    is_const && (handler->flags & 1));
}

static int catches_pointer(const Pointer *handler, const Type *thrown_type, void **object) {
  if (is_nullptr(thrown_type)) {
    *object = NULL;
    return 1;
  }
  if (!is_pointer(thrown_type)) return 0;
  const Pointer *thrown = (const Pointer *)thrown_type;
  char *target = *(char **)*object;
  if (is_similar(handler, thrown, 1)) {
    *object = target;
    return 1;
  }
  if ((thrown->flags & ~handler->flags & QUALIFIERS) != 0) return 0;
  int is_function = is_kind(thrown->to, _ZTVN10__cxxabiv120__function_type_infoE);
  if (is_void(handler->to) && !is_function) {
    *object = target;
    return 1;
  }
  if (!is_class(thrown->to) || !is_class(handler->to)) return 0;
  if (!find_base(handler->to, thrown->to, &target)) return 0;
  *object = target;
  return 1;
}

// Pointers are handed to their handlers by value: `object` becomes the pointer.
LIBRARY int __heddle_catches(const Type *handler, const Type *thrown, void **object) {
  if (is_pointer(handler)) return catches_pointer((const Pointer *)handler, thrown, object);
  if (is_same(handler, thrown)) return 1;
  return is_class(handler) && is_class(thrown) && find_base(handler, thrown, (char **)object);
}

// ---- dynamic_cast

// Before the table of an object: where the whole object is, and its type.
typedef struct {
  long offset_to_top;
  const Type *type;
} Prefix;

// Finds objects of the wanted type in a whole one that have a given one as a public base.
typedef struct {
  const Type *wanted, *source;
  char *part;
  Search above;
} Cast;

static void search_above(Cast *cast, const Type *type, char *object) {
  if (is_same(type, cast->wanted)) {
    Search below = {cast->source, NULL, 0, 0, 0};
    search_bases(&below, type, object, 1);
    // There may be several parts of the source's type; one of them has to be this one.
    if (below.found == cast->part && below.open && !below.ambiguous)
      note(&cast->above, object, 1);
    return;
  }
  if (is_kind(type, _ZTVN10__cxxabiv120__si_class_type_infoE)) {
    search_above(cast, ((const Single *)type)->base, object);
  } else if (is_kind(type, _ZTVN10__cxxabiv121__vmi_class_type_infoE)) {
    const Multiple *class = (const Multiple *)type;
    for (unsigned at = 0; at < class->count; at++)
      search_above(cast, class->bases[at].type, base_at(object, &class->bases[at], 0));
  }
}

LIBRARY void *__dynamic_cast(void *part, const Type *source, const Type *wanted, long hint) {
  const Prefix *prefix = *(const Prefix **)part - 1;
  char *whole = (char *)part + prefix->offset_to_top;
  Cast cast = {wanted, source, part, {wanted, NULL, 0, 0, 0}};
  search_above(&cast, prefix->type, whole);
  if (cast.above.found != NULL) return cast.above.ambiguous ? NULL : cast.above.found;
  // A sibling: both are the only public ones of the whole.
  char *sibling = whole, *same = whole;
  if (!find_base(source, prefix->type, &same) || same != part) return NULL;
  return find_base(wanted, prefix->type, &sibling) ? sibling : NULL;
}
