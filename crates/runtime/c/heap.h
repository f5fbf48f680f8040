// Blocks that are given back, each an event.

void heddle_w_free(void *block) {
  if (block != NULL) EVENT(free(block));
}

void *heddle_w_realloc(void *block, size_t bytes) {
  if (block == NULL) return malloc(bytes);
  void *result;
  EVENT(result = realloc(block, bytes));
  return result;
}

void *heddle_w_reallocarray(void *block, size_t count, size_t unit) {
  if (block == NULL) return reallocarray(block, count, unit);
  void *result;
  EVENT(result = reallocarray(block, count, unit));
  return result;
}

#define DELETE(name, ...)                                                                          \
  void heddle_w_##name(void *block, ##__VA_ARGS__) {                                               \
    if (block != NULL) EVENT(free(block));                                                         \
  }

DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm, size_t bytes)
DELETE(_ZdaPvm, size_t bytes)
DELETE(_ZdlPvSt11align_val_t, size_t alignment)
DELETE(_ZdaPvSt11align_val_t, size_t alignment)
DELETE(_ZdlPvmSt11align_val_t, size_t bytes, size_t alignment)
DELETE(_ZdaPvmSt11align_val_t, size_t bytes, size_t alignment)
DELETE(_ZdlPvRKSt9nothrow_t, const void *tag)
DELETE(_ZdaPvRKSt9nothrow_t, const void *tag)
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, size_t alignment, const void *tag)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, size_t alignment, const void *tag)
