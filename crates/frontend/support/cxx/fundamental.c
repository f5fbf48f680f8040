// Types at run time that no program defines: the fundamental ones and pointers to them
// (Itanium C++ ABI, section 2.9.2), in C, for C++ programs under check. Weak, so that the
// program's own win.

#define DATA __attribute__((weak))

typedef struct {
  const void *const *kind;
  const char *name;
} Type;

typedef struct {
  Type type;
  unsigned flags;
  const Type *to;
} Pointer;

// In rtti.c.
extern const void *const _ZTVN10__cxxabiv119__pointer_type_infoE[8];
extern const void *const _ZTVN10__cxxabiv123__fundamental_type_infoE[8];

#define PLAIN(name) {&_ZTVN10__cxxabiv123__fundamental_type_infoE[2], name}
#define POINTER(name, flags, to) {{&_ZTVN10__cxxabiv119__pointer_type_infoE[2], name}, flags, &to}

DATA const Type _ZTIv = PLAIN("v");
DATA const Type _ZTIb = PLAIN("b");
DATA const Type _ZTIw = PLAIN("w");
DATA const Type _ZTIc = PLAIN("c");
DATA const Type _ZTIa = PLAIN("a");
DATA const Type _ZTIh = PLAIN("h");
DATA const Type _ZTIs = PLAIN("s");
DATA const Type _ZTIt = PLAIN("t");
DATA const Type _ZTIi = PLAIN("i");
DATA const Type _ZTIj = PLAIN("j");
DATA const Type _ZTIl = PLAIN("l");
DATA const Type _ZTIm = PLAIN("m");
DATA const Type _ZTIx = PLAIN("x");
DATA const Type _ZTIy = PLAIN("y");
DATA const Type _ZTIn = PLAIN("n");
DATA const Type _ZTIo = PLAIN("o");
DATA const Type _ZTIf = PLAIN("f");
DATA const Type _ZTId = PLAIN("d");
DATA const Type _ZTIe = PLAIN("e");
DATA const Type _ZTIDn = PLAIN("Dn");
DATA const Type _ZTIDs = PLAIN("Ds");
DATA const Type _ZTIDi = PLAIN("Di");
DATA const Type _ZTIDu = PLAIN("Du");
DATA const Pointer _ZTIPv = POINTER("Pv", 0, _ZTIv);
DATA const Pointer _ZTIPb = POINTER("Pb", 0, _ZTIb);
DATA const Pointer _ZTIPw = POINTER("Pw", 0, _ZTIw);
DATA const Pointer _ZTIPc = POINTER("Pc", 0, _ZTIc);
DATA const Pointer _ZTIPa = POINTER("Pa", 0, _ZTIa);
DATA const Pointer _ZTIPh = POINTER("Ph", 0, _ZTIh);
DATA const Pointer _ZTIPs = POINTER("Ps", 0, _ZTIs);
DATA const Pointer _ZTIPt = POINTER("Pt", 0, _ZTIt);
DATA const Pointer _ZTIPi = POINTER("Pi", 0, _ZTIi);
DATA const Pointer _ZTIPj = POINTER("Pj", 0, _ZTIj);
DATA const Pointer _ZTIPl = POINTER("Pl", 0, _ZTIl);
DATA const Pointer _ZTIPm = POINTER("Pm", 0, _ZTIm);
DATA const Pointer _ZTIPx = POINTER("Px", 0, _ZTIx);
DATA const Pointer _ZTIPy = POINTER("Py", 0, _ZTIy);
DATA const Pointer _ZTIPn = POINTER("Pn", 0, _ZTIn);
DATA const Pointer _ZTIPo = POINTER("Po", 0, _ZTIo);
DATA const Pointer _ZTIPf = POINTER("Pf", 0, _ZTIf);
DATA const Pointer _ZTIPd = POINTER("Pd", 0, _ZTId);
DATA const Pointer _ZTIPe = POINTER("Pe", 0, _ZTIe);
DATA const Pointer _ZTIPDn = POINTER("PDn", 0, _ZTIDn);
DATA const Pointer _ZTIPDs = POINTER("PDs", 0, _ZTIDs);
DATA const Pointer _ZTIPDi = POINTER("PDi", 0, _ZTIDi);
DATA const Pointer _ZTIPDu = POINTER("PDu", 0, _ZTIDu);
DATA const Pointer _ZTIPKv = POINTER("PKv", 1, _ZTIv);
DATA const Pointer _ZTIPKb = POINTER("PKb", 1, _ZTIb);
DATA const Pointer _ZTIPKw = POINTER("PKw", 1, _ZTIw);
DATA const Pointer _ZTIPKc = POINTER("PKc", 1, _ZTIc);
DATA const Pointer _ZTIPKa = POINTER("PKa", 1, _ZTIa);
DATA const Pointer _ZTIPKh = POINTER("PKh", 1, _ZTIh);
DATA const Pointer _ZTIPKs = POINTER("PKs", 1, _ZTIs);
DATA const Pointer _ZTIPKt = POINTER("PKt", 1, _ZTIt);
DATA const Pointer _ZTIPKi = POINTER("PKi", 1, _ZTIi);
DATA const Pointer _ZTIPKj = POINTER("PKj", 1, _ZTIj);
DATA const Pointer _ZTIPKl = POINTER("PKl", 1, _ZTIl);
DATA const Pointer _ZTIPKm = POINTER("PKm", 1, _ZTIm);
DATA const Pointer _ZTIPKx = POINTER("PKx", 1, _ZTIx);
DATA const Pointer _ZTIPKy = POINTER("PKy", 1, _ZTIy);
DATA const Pointer _ZTIPKn = POINTER("PKn", 1, _ZTIn);
DATA const Pointer _ZTIPKo = POINTER("PKo", 1, _ZTIo);
DATA const Pointer _ZTIPKf = POINTER("PKf", 1, _ZTIf);
DATA const Pointer _ZTIPKd = POINTER("PKd", 1, _ZTId);
DATA const Pointer _ZTIPKe = POINTER("PKe", 1, _ZTIe);
DATA const Pointer _ZTIPKDn = POINTER("PKDn", 1, _ZTIDn);
DATA const Pointer _ZTIPKDs = POINTER("PKDs", 1, _ZTIDs);
DATA const Pointer _ZTIPKDi = POINTER("PKDi", 1, _ZTIDi);
DATA const Pointer _ZTIPKDu = POINTER("PKDu", 1, _ZTIDu);
