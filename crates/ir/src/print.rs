//! A readable dump of a program, for people and tests.

use std::fmt::Write;

use crate::{
    Block, Callee, DebugTypeId, Edge, FuncId, Function, Global, Inst, Op, Operand, Ordering,
    Program, Reg, Span, Symbol, Terminator, Ty,
};

/// The whole program as text.
pub fn print_program(program: &Program) -> String {
    let mut out = format!("; pointers of {} bytes\n", program.pointer_bytes);
    for global in &program.globals {
        print_global(program, global, &mut out);
    }
    for &constructor in &program.constructors {
        let _ = writeln!(out, "constructor @{}", program.function(constructor).name);
    }
    for index in 0..program.functions.len() {
        out.push('\n');
        out.push_str(&print_function(program, FuncId(index as u32)));
    }
    out
}

/// One function as text.
pub fn print_function(program: &Program, id: FuncId) -> String {
    let function = program.function(id);
    let printer = Printer { program, function };
    let mut out = printer.signature();
    if function.is_declaration() {
        out.push('\n');
        return out;
    }
    out.push_str(" {");
    out.push_str(&printer.comment(function.span));
    out.push('\n');
    for (index, block) in function.blocks.iter().enumerate() {
        let _ = writeln!(out, "b{index}:");
        printer.block(block, &mut out);
    }
    out.push_str("}\n");
    out
}

fn print_global(program: &Program, global: &Global, out: &mut String) {
    let kind = match (global.thread_local, global.constant) {
        (true, _) => "thread_local ",
        (_, true) => "constant ",
        _ => "",
    };
    let _ = write!(out, "global {kind}@{}: {} bytes", global.name, global.bytes);
    let _ = write!(out, ", align {}", global.align);
    match &global.init {
        None => out.push_str(", external"),
        Some(init) if init.bytes.iter().all(|&byte| byte == 0) => {
            out.push_str(if init.relocations.is_empty() { ", zero" } else { "" });
        }
        Some(init) => {
            let shown = init.bytes.iter().take(32).map(|byte| format!(" {byte:02x}"));
            let _ = write!(out, ", bytes{}", shown.collect::<String>());
            out.push_str(if init.bytes.len() > 32 { " …" } else { "" });
        }
    }
    for relocation in global.init.iter().flat_map(|init| &init.relocations) {
        let name = match relocation.symbol {
            Symbol::Global(id) => &program.global(id).name,
            Symbol::Function(id) => &program.function(id).name,
        };
        let _ = write!(out, ", [{}] = @{name}", relocation.offset);
        if relocation.addend != 0 {
            let _ = write!(out, "{:+}", relocation.addend);
        }
    }
    if let Some(name) = &global.source_name {
        let _ = write!(out, "  ; {name}");
    }
    if let Some(position) = program.position(global.span) {
        let _ = write!(out, "  ; {position}");
    }
    out.push('\n');
}

struct Printer<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Printer<'_> {
    fn signature(&self) -> String {
        let function = self.function;
        let keyword = if function.is_declaration() { "declare" } else { "function" };
        let mut params: Vec<String> = function
            .params
            .iter()
            .map(|&reg| format!("{} {}", self.ty_of(reg), self.reg(reg)))
            .collect();
        if function.variadic {
            params.push("…".to_owned());
        }
        let mut out = format!("{keyword} @{}({})", function.name, params.join(", "));
        if !function.returns.is_empty() {
            let returns: Vec<String> = function.returns.iter().map(Ty::to_string).collect();
            let _ = write!(out, " -> {}", returns.join(", "));
        }
        out
    }

    fn block(&self, block: &Block, out: &mut String) {
        for inst in &block.insts {
            let _ = writeln!(out, "    {}{}", self.op(&inst.op), self.notes(inst));
        }
        let _ = writeln!(out, "    {}{}", self.term(&block.term), self.comment(block.term_span));
    }

    fn notes(&self, inst: &Inst) -> String {
        let mut out = self.comment(inst.span);
        if let Some(place) = inst.place {
            let _ = write!(out, "  ; {}", self.program.place(place).text);
        }
        out
    }

    fn comment(&self, span: Span) -> String {
        self.program.position(span).map_or_else(String::new, |text| format!("  ; {text}"))
    }

    fn ty_of(&self, reg: Reg) -> String {
        self.function.regs.get(reg.0 as usize).map_or_else(|| "?".to_owned(), Ty::to_string)
    }

    fn reg(&self, reg: Reg) -> String {
        match self.function.reg_names.get(reg.0 as usize).and_then(Option::as_ref) {
            Some(name) => format!("%{}.{name}", reg.0),
            None => format!("%{}", reg.0),
        }
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Const(bits) => bits.to_string(),
            Operand::Global(id, offset) => {
                let name = self.program.globals.get(id.0 as usize).map_or("?", |g| &g.name);
                if offset == 0 { format!("@{name}") } else { format!("@{name}{offset:+}") }
            }
            Operand::Function(id) => {
                let name = self.program.functions.get(id.0 as usize).map_or("?", |f| &f.name);
                format!("@{name}")
            }
        }
    }

    fn op(&self, op: &Op) -> String {
        let r = |reg: &Reg| self.reg(*reg);
        let o = |operand: &Operand| self.operand(*operand);
        match op {
            Op::Binary { op, width, nsw, dst, a, b } => {
                let op = format!("{op:?}").to_lowercase();
                let nsw = if *nsw { " nsw" } else { "" };
                format!("{} = {op}{nsw} i{width} {}, {}", r(dst), o(a), o(b))
            }
            Op::Overflow { op, width, dst, flag, a, b } => {
                let op = format!("{op:?}").to_lowercase();
                format!("{}, {} = overflow {op} i{width} {}, {}", r(dst), r(flag), o(a), o(b))
            }
            Op::Unary { op, width, dst, a } => {
                format!("{} = {} i{width} {}", r(dst), format!("{op:?}").to_lowercase(), o(a))
            }
            Op::Compare { pred, width, dst, a, b } => {
                let pred = format!("{pred:?}").to_lowercase();
                format!("{} = compare {pred} i{width} {}, {}", r(dst), o(a), o(b))
            }
            Op::FloatBinary { op, ty, dst, a, b } => {
                let (op, ty) = (format!("{op:?}").to_lowercase(), Ty::Float(*ty));
                format!("{} = f{op} {ty} {}, {}", r(dst), o(a), o(b))
            }
            Op::FloatNeg { ty, dst, a } => {
                format!("{} = fneg {} {}", r(dst), Ty::Float(*ty), o(a))
            }
            Op::FloatCompare { pred, ty, dst, a, b } => {
                let (pred, ty) = (format!("{pred:?}").to_lowercase(), Ty::Float(*ty));
                format!("{} = fcompare {pred} {ty} {}, {}", r(dst), o(a), o(b))
            }
            Op::Cast { op, from, to, dst, a } => {
                let op = format!("{op:?}").to_lowercase();
                format!("{} = {op} {from} {} to {to}", r(dst), o(a))
            }
            Op::Select { dst, cond, then, other } => {
                format!("{} = select {}, {}, {}", r(dst), o(cond), o(then), o(other))
            }
            Op::Copy { dst, a } => format!("{} = {}", r(dst), o(a)),
            Op::PtrAdd { dst, base, offset, scales } => {
                let mut out = format!("{} = ptradd {}", r(dst), o(base));
                if *offset != 0 {
                    let _ = write!(out, ", {offset}");
                }
                for scale in scales {
                    let index = o(&scale.index);
                    let _ = write!(out, ", i{} {index} * {}", scale.width, scale.bytes);
                }
                out
            }
            Op::Nondet { dst, reason } => {
                let reason = format!("{reason:?}").to_lowercase();
                format!("{} = nondet {} ({reason})", r(dst), self.ty_of(*dst))
            }
            Op::Unsupported { what } => format!("unsupported \"{what}\""),
            Op::Call { dsts, callee, args, arg_tys } => self.call(dsts, callee, args, arg_tys),
            memory => self.memory_op(memory),
        }
    }

    fn memory_op(&self, op: &Op) -> String {
        let r = |reg: &Reg| self.reg(*reg);
        let o = |operand: &Operand| self.operand(*operand);
        match op {
            Op::StackAlloc { dst, bytes, count, align, name, ty } => {
                let mut out = format!("{} = stack {bytes} * {}, align {align}", r(dst), o(count));
                if let Some(name) = name {
                    let _ = write!(out, ", \"{name}\"");
                }
                if let Some(DebugTypeId(id)) = ty {
                    let _ = write!(out, ", type {id}");
                }
                out
            }
            Op::ThreadLocal { dst, global } => {
                format!("{} = thread_local {}", r(dst), self.operand(Operand::Global(*global, 0)))
            }
            Op::Load { dst, ty, addr, order, volatile } => {
                let kind = access_kind(*order, *volatile);
                format!("{} = load{kind} {ty}, {}", r(dst), o(addr))
            }
            Op::Store { ty, addr, value, order, volatile } => {
                let kind = access_kind(*order, *volatile);
                format!("store{kind} {ty} {}, {}", o(value), o(addr))
            }
            Op::Rmw { op, ty, dst, addr, value, order } => {
                let op = format!("{op:?}").to_lowercase();
                let order = order_name(*order);
                format!("{} = rmw {op} {order} {ty} {}, {}", r(dst), o(addr), o(value))
            }
            Op::CmpXchg { ty, dst, ok, addr, expected, new, success, failure } => {
                let orders = format!("{} {}", order_name(*success), order_name(*failure));
                let values = format!("{}, {}, {}", o(addr), o(expected), o(new));
                format!("{}, {} = cmpxchg {orders} {ty} {values}", r(dst), r(ok))
            }
            Op::Fence { order } => format!("fence {}", order_name(*order)),
            other => format!("{other:?}"),
        }
    }

    fn call(&self, dsts: &[Reg], callee: &Callee, args: &[Operand], types: &[Ty]) -> String {
        let mut out = String::new();
        if !dsts.is_empty() {
            let dsts: Vec<String> = dsts.iter().map(|&dst| self.reg(dst)).collect();
            let _ = write!(out, "{} = ", dsts.join(", "));
        }
        let target = match callee {
            Callee::Direct(id) => self.operand(Operand::Function(*id)),
            Callee::Indirect(address) => format!("*{}", self.operand(*address)),
        };
        let args: Vec<String> = args
            .iter()
            .zip(types)
            .map(|(&arg, ty)| format!("{ty} {}", self.operand(arg)))
            .collect();
        let _ = write!(out, "call {target}({})", args.join(", "));
        out
    }

    fn edge(&self, edge: &Edge) -> String {
        let mut out = format!("b{}", edge.target.0);
        if !edge.moves.is_empty() {
            let moves: Vec<String> = edge
                .moves
                .iter()
                .map(|&(reg, value)| format!("{} = {}", self.reg(reg), self.operand(value)))
                .collect();
            let _ = write!(out, " [{}]", moves.join(", "));
        }
        out
    }

    fn term(&self, term: &Terminator) -> String {
        match term {
            Terminator::Jump(edge) => format!("jump {}", self.edge(edge)),
            Terminator::Branch { cond, then, other } => {
                let cond = self.operand(*cond);
                format!("branch {cond}, {}, {}", self.edge(then), self.edge(other))
            }
            Terminator::Switch { width, value, cases, default } => {
                let mut out = format!("switch i{width} {}", self.operand(*value));
                for (case, edge) in cases {
                    let _ = write!(out, ", {case} => {}", self.edge(edge));
                }
                let _ = write!(out, ", else => {}", self.edge(default));
                out
            }
            Terminator::Return(values) if values.is_empty() => "return".to_owned(),
            Terminator::Return(values) => {
                let values: Vec<String> = values.iter().map(|&v| self.operand(v)).collect();
                format!("return {}", values.join(", "))
            }
            Terminator::Unreachable => "unreachable".to_owned(),
            Terminator::Unsupported { what } => format!("unsupported \"{what}\""),
        }
    }
}

fn access_kind(order: Option<Ordering>, volatile: bool) -> String {
    let mut out = String::new();
    if volatile {
        out.push_str(" volatile");
    }
    if let Some(order) = order {
        out.push(' ');
        out.push_str(order_name(order));
    }
    out
}

fn order_name(order: Ordering) -> &'static str {
    match order {
        Ordering::Relaxed => "relaxed",
        Ordering::Acquire => "acquire",
        Ordering::Release => "release",
        Ordering::AcqRel => "acq_rel",
        Ordering::SeqCst => "seq_cst",
    }
}
