//! Strings, structures with holes and partly written objects as C.

use super::Printer;
use crate::ast::{Expr, Look, Partly, Printed, Record, Shape, Text, TextCall, Which};

/// Structures of a character and a `short`.
pub(super) const SHORT: &str = "\
struct @duo { char tag; short value; };
struct @duo @duo0, @duo1;
_Atomic struct @duo @duoa;
static struct @duo @duo_make(int tag, int value) {
    struct @duo made;
    made.tag = tag;
    made.value = value;
    return made;
}
static int @duo_sum(struct @duo given) { return given.tag + given.value; }";

/// And of a character and an `int`.
pub(super) const WIDE: &str = "\
struct @wid { char tag; int value; };
struct @wid @wid0, @wid1;
_Atomic struct @wid @wida;
static struct @wid @wid_make(int tag, int value) {
    struct @wid made;
    made.tag = tag;
    made.value = value;
    return made;
}
static int @wid_sum(struct @wid given) { return given.tag + given.value; }";

fn type_name(wide: bool) -> &'static str {
    if wide { "wid" } else { "duo" }
}

impl Printer<'_> {
    pub(super) fn record(&self, record: Record) -> String {
        let which = match record.which {
            Which::First => '0',
            Which::Second => '1',
            Which::Atomic => 'a',
        };
        format!("{}{}{which}", self.prefix, type_name(record.wide))
    }

    /// A structure as a function makes it.
    fn made(&self, wide: bool, tag: &str, value: &str) -> String {
        format!("{}{}_make({tag}, {value})", self.prefix, type_name(wide))
    }

    pub(super) fn fill(&self, record: Record, tag: &Expr, value: &Expr) -> String {
        let made = self.made(record.wide, &self.expr(tag), &self.expr(value));
        format!("{} = {made};", self.record(record))
    }

    pub(super) fn sum(&self, record: Record) -> String {
        format!("{}{}_sum({})", self.prefix, type_name(record.wide), self.record(record))
    }

    pub(super) fn swap(&self, wide: bool, tag: u8, value: u8) -> String {
        let record = self.record(Record { wide, which: Which::Atomic });
        let made = self.made(wide, &tag.to_string(), &value.to_string());
        let name = type_name(wide);
        format!("{}{name}_sum(atomic_exchange(&{record}, {made}))", self.prefix)
    }

    fn text(&self, text: Text) -> String {
        match text {
            Text::Shared(array) => format!("{}text{array}", self.prefix),
            Text::Literal(0) => "\"\"".to_string(),
            Text::Literal(1) => "\"a\"".to_string(),
            Text::Literal(_) => "\"ab\"".to_string(),
        }
    }

    pub(super) fn text_call(&self, call: &TextCall) -> String {
        let array = |array: &u8| self.text(Text::Shared(*array));
        match call {
            TextCall::Print { to, room, what } => {
                let (format, value) = match what {
                    Printed::Digit(e) => ("%d", format!("{} & 7", self.expr(e))),
                    Printed::Letter(e) => ("%c", self.expr(e)),
                    Printed::Text(text) => ("%s", self.text(*text)),
                };
                match room {
                    Some(room) => {
                        format!("snprintf({}, {room}, \"{format}\", {value})", array(to))
                    }
                    None => format!("sprintf({}, \"{format}\", {value})", array(to)),
                }
            }
            TextCall::Copy(to, from) => {
                format!("*strcpy({}, {})", array(to), self.text(*from))
            }
            TextCall::CopyBytes(to, from, count) => {
                format!("*(char *)memcpy({}, {}, {count})", array(to), self.text(*from))
            }
            TextCall::Length(of) => format!("(int)strlen({})", array(of)),
            TextCall::Equal(a, b) => format!("!strcmp({}, {})", array(a), self.text(*b)),
            TextCall::EqualBytes(a, b, count) => {
                format!("!memcmp({}, {}, {count})", array(a), self.text(*b))
            }
            TextCall::Show(text) => format!("printf(\"%s\", {})", array(text)),
        }
    }

    /// A block with the object, all in one line.
    pub(super) fn partly(&self, partly: &Partly) -> String {
        let mut text = match partly.shape {
            Shape::Struct => "struct { char p0; short p1; int p2; } from, to;",
            Shape::Array => "short from[3], to[3];",
            Shape::Block => "short *from = malloc(6), *to = malloc(6);",
            Shape::BitFields => "struct { unsigned p0 : 3, p1 : 2, p2 : 4; } from, to;",
            Shape::Word => "union { unsigned whole; unsigned char p[4]; } from, to;",
        }
        .to_string();
        for (part, value) in &partly.written {
            let place = written(partly.shape, *part);
            text += &format!(" from{place} = {};", self.expr(value));
        }
        if partly.copied {
            text += match partly.shape {
                Shape::Array | Shape::Block => " memcpy(to, from, 6);",
                _ => " to = from;",
            };
        }
        let object = if partly.copied { "to" } else { "from" };
        let read = read(partly.shape, object, partly.part);
        text += &match partly.look {
            Look::Value => format!(" l0 = {read} & 3;"),
            Look::Twice => format!(" l0 = {read} == {read};"),
            Look::Share => format!(" {}x1 = {read};", self.prefix),
            Look::Nowhere => String::new(),
        };
        if partly.shape == Shape::Block {
            text += " free(from); free(to);";
        }
        format!("{{ {text} }}")
    }
}

/// How a part is named when it is written, after the name of the object.
fn written(shape: Shape, part: u8) -> String {
    match shape {
        Shape::Struct | Shape::BitFields => format!(".p{part}"),
        Shape::Array | Shape::Block => format!("[{part}]"),
        Shape::Word => format!(".p[{part}]"),
    }
}

fn read(shape: Shape, object: &str, part: u8) -> String {
    match shape {
        Shape::Word => format!("({object}.whole >> {} & 255)", 8 * part),
        _ => format!("{object}{}", written(shape, part)),
    }
}
