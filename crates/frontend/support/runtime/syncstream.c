// std::osyncstream to std::cout, std::cerr and std::clog, in C under the mangled names of the GNU
// C++ library, for C++ programs under check. It stands in for what the header defines. Output is
// only shown in a trace, so it is made at once and not when the stream ends.

#define LIBRARY

typedef struct Stream Stream;

// Of iostream.c: makes a stream of what lies there, for output to another one.
void __heddle_output_stream(Stream *stream, const Stream *to);

// std::osyncstream::osyncstream(std::ostream&)
LIBRARY void _ZNSt17basic_osyncstreamIcSt11char_traitsIcESaIcEEC1ERSo(Stream *stream,
                                                                      const Stream *to) {
  __heddle_output_stream(stream, to);
}

// Its destructor, and emit()
LIBRARY void _ZNSt17basic_osyncstreamIcSt11char_traitsIcESaIcEED1Ev(Stream *stream) {}
LIBRARY void _ZNSt17basic_osyncstreamIcSt11char_traitsIcESaIcEE4emitEv(Stream *stream) {}
