
/* A number below `count`. */
static word choose(word count)
{
#ifdef NATIVE
    if (choices == NULL)
        return any() % count;
#endif
    word value = any();
    assume(value < count);
    return value;
}

/* Any bits. */
static UNUSED word bits(unsigned width) { return any() & mask(width); }
