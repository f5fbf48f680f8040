//! Statements as C.

use super::exprs::constant;
use super::{Printer, Waits, blocks, looks_at_argument, twin};
use crate::ast::{Asks, Fence, Object, Place, Stmt, Sync, Target};

impl Printer<'_> {
    pub(super) fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn nested(&mut self, head: &str, block: &[Stmt]) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
        self.line("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let prefix = self.prefix;
        let text = match stmt {
            Stmt::Assign(place, value) => format!("{} = {};", self.place(place), self.expr(value)),
            Stmt::Store(Place::Atomic, value, order) => {
                let (value, order) = (self.expr(value), constant(*order));
                format!("atomic_store_explicit(&{prefix}at, {value}, {order});")
            }
            Stmt::Store(place, value, order) => {
                let (place, value) = (self.place(place), self.expr(value));
                format!("__atomic_store_n(&{place}, {value}, {});", constant(*order))
            }
            Stmt::SetLocal(local, value) => format!("l{local} = {};", self.expr(value)),
            Stmt::Eval(e) => format!("(void){};", self.expr(e)),
            Stmt::If(cond, then, other) => {
                self.nested(&format!("if ({})", self.expr(cond)), then);
                if !other.is_empty() {
                    self.nested("else", other);
                }
                return;
            }
            Stmt::Loop(count, body) => {
                let counter = format!("i{}", self.depth);
                let head = format!("for (int {counter} = 0; {counter} < {count}; {counter}++)");
                return self.nested(&head, body);
            }
            Stmt::Wait(cond, body) => {
                let cond = self.expr(cond);
                let head = match self.waits {
                    Waits::Plain => format!("while ({cond}) {{"),
                    Waits::Counted(most) => {
                        format!("for (int w = 0; {cond}; w++) {{ __VERIFIER_assume(w < {most});")
                    }
                };
                if body.is_empty() {
                    format!("{head} }}")
                } else {
                    self.line(&head);
                    self.depth += 1;
                    self.block(body);
                    self.depth -= 1;
                    "}".to_string()
                }
            }
            Stmt::Turns(turns) => self.turns(*turns),
            Stmt::Lock(mutex) => format!("pthread_mutex_lock({});", self.mutex(*mutex)),
            Stmt::Unlock(mutex) => format!("pthread_mutex_unlock({});", self.mutex(*mutex)),
            Stmt::Section(body) => {
                self.line("__VERIFIER_atomic_begin();");
                self.block(body);
                "__VERIFIER_atomic_end();".to_string()
            }
            Stmt::Assert(cond) => format!("assert({});", self.expr(cond)),
            Stmt::Assume(cond) => format!("__VERIFIER_assume({});", self.expr(cond)),
            Stmt::Fence(Fence::Full) => "__sync_synchronize();".to_string(),
            Stmt::Fence(Fence::Thread(order)) => {
                format!("atomic_thread_fence({});", constant(*order))
            }
            Stmt::Sync(sync) => self.sync(*sync),
            Stmt::CondWait { timed: false } => {
                format!("pthread_cond_wait(&{prefix}cond, &{prefix}mut0);")
            }
            Stmt::CondWait { timed: true } => format!(
                "l1 = pthread_cond_timedwait(&{prefix}cond, &{prefix}mut0, &{prefix}when) != 0;"
            ),
            Stmt::SetPointer(pointer, target) => {
                format!("{prefix}ptr{pointer} = {};", self.target(*pointer, *target))
            }
            Stmt::Tag(n, set) => {
                format!("{prefix}tag = (unsigned long)&{prefix}x{n} | {};", u8::from(*set))
            }
            Stmt::Allocate { value, large } => {
                let count = if *large { 25 } else { 1 };
                let set = value.map_or(String::new(), |value| format!("*block = {value}; "));
                let block = format!("int *block = malloc({count} * sizeof(int));");
                format!("{{ {block} {set}{prefix}heap = block; }}")
            }
            Stmt::AllocateOr { value, failed, asks, goes_on } => {
                self.line("{");
                self.depth += 1;
                self.line("int *block = malloc(sizeof(int));");
                let none = match asks {
                    Asks::Not => "!block".to_string(),
                    Asks::Equal => "block == 0".to_string(),
                    Asks::Noted => {
                        self.line("int there = block != 0;");
                        "!there".to_string()
                    }
                    Asks::Helper => format!("{prefix}none(block)"),
                };
                self.nested(&format!("if ({none})"), failed);
                let otherwise = if *goes_on { "" } else { "else " };
                self.line(&format!("{otherwise}{{ *block = {value}; {prefix}heap = block; }}"));
                self.depth -= 1;
                "}".to_string()
            }
            Stmt::Say => "puts(\"no memory\");".to_string(),
            Stmt::Reallocate => format!("{prefix}heap = realloc({prefix}heap, 24 * sizeof(int));"),
            Stmt::Hide => format!("{prefix}parts.l = (long long)(long)&mine ^ 1;"),
            Stmt::Call(body) => self.call(body),
            Stmt::InitMutex(mutex) => format!("pthread_mutex_init({}, 0);", self.mutex(*mutex)),
            Stmt::DestroyMutex(mutex) => format!("pthread_mutex_destroy({});", self.mutex(*mutex)),
            Stmt::Free => format!("free({prefix}heap);"),
            Stmt::Release => {
                format!("{{ int *block = {prefix}heap; {prefix}heap = 0; free(block); }}")
            }
            Stmt::Put(place, value) => {
                format!("{prefix}put(&{}, {});", self.place(place), self.expr(value))
            }
            Stmt::Move(to, from) => {
                format!("{prefix}move(&{}, &{});", self.place(to), self.place(from))
            }
            Stmt::Fill(record, tag, value) => self.fill(*record, tag, value),
            Stmt::CopyRecord(to, from) => {
                format!("{} = {};", self.record(*to), self.record(*from))
            }
            Stmt::Partly(partly) => self.partly(partly),
            Stmt::SetHandler(n) => format!("{prefix}fun = {prefix}h{n};"),
            Stmt::CallHandler => format!("{prefix}fun();"),
            Stmt::NoteSelf => format!("{prefix}self = pthread_self();"),
            Stmt::Exit => "pthread_exit(0);".to_string(),
            Stmt::ExitProcess => "exit(0);".to_string(),
            Stmt::Detach(n) => format!("pthread_detach({prefix}tid{n});"),
            Stmt::Return => "return 0;".to_string(),
            Stmt::Create(n) => {
                let (code, data) = (twin(self.test, usize::from(*n)), self.argument(*n));
                format!("pthread_create(&{prefix}tid{n}, 0, {prefix}t{code}, {data});")
            }
            Stmt::Join(n, true) => format!(
                "{{ void *result = 0; pthread_join({prefix}tid{n}, &result); l1 = (int)(long)result; }}"
            ),
            Stmt::Crowd(crowd) => self.crowd(*crowd),
            Stmt::MakeBox => format!(
                "{prefix}box = malloc(sizeof *{prefix}box); pthread_mutex_init(&{prefix}box->lock, 0); \
                 {prefix}box->count = 0;"
            ),
            Stmt::FreeBox => format!("free({prefix}box);"),
            Stmt::Blocks(blocks) => self.blocks(*blocks),
            Stmt::Keeper(keeper) => self.keeper(keeper),
            Stmt::Join(n, false) => format!("pthread_join({prefix}tid{n}, 0);"),
        };
        self.line(&text);
    }

    fn sync(&self, sync: Sync) -> String {
        let call = match sync {
            Sync::Signal => "pthread_cond_signal(&@cond);",
            Sync::Broadcast => "pthread_cond_broadcast(&@cond);",
            Sync::SemWait => "sem_wait(&@sem);",
            Sync::SemPost => "sem_post(&@sem);",
            Sync::ReadLock => "pthread_rwlock_rdlock(&@rw);",
            Sync::WriteLock => "pthread_rwlock_wrlock(&@rw);",
            Sync::RwUnlock => "pthread_rwlock_unlock(&@rw);",
            Sync::Meet => "pthread_barrier_wait(&@bar);",
            Sync::SpinLock => "pthread_spin_lock(&@spin);",
            Sync::SpinUnlock => "pthread_spin_unlock(&@spin);",
            Sync::Once => "pthread_once(&@once, @first);",
            Sync::Destroy(Object::Condition) => "pthread_cond_destroy(&@cond);",
            Sync::Destroy(Object::Semaphore) => "sem_destroy(&@sem);",
            Sync::Destroy(Object::RwLock) => "pthread_rwlock_destroy(&@rw);",
            Sync::Destroy(Object::Barrier) => "pthread_barrier_destroy(&@bar);",
            Sync::Destroy(Object::Spin) => "pthread_spin_destroy(&@spin);",
        };
        call.replace('@', self.prefix)
    }

    /// A call of a new function with this body.
    fn call(&mut self, body: &[Stmt]) -> String {
        let outer = (std::mem::take(&mut self.out), std::mem::replace(&mut self.depth, 1));
        self.block(body);
        let inner = std::mem::take(&mut self.out);
        let name = format!("{}f{}_{}", self.prefix, self.thread, self.calls);
        self.calls += 1;
        self.depth = 0;
        self.line(&format!("static int {name}(int l0, int l1, int *arg) {{"));
        self.depth = 1;
        if inner.contains("mine") {
            self.line("int mine = 0;");
        }
        if inner.contains("kept") {
            self.line(blocks::VARIABLES);
        }
        self.out.push_str(&inner);
        self.line("return l0;");
        self.depth = 0;
        self.line("}\n");
        self.functions += &self.out;
        (self.out, self.depth) = outer;
        let argument = if looks_at_argument(&inner) { "arg" } else { "0" };
        format!("l0 = {name}(l0, l1, {argument});")
    }

    /// What thread `n` is handed: our variable if it looks at its argument.
    pub(super) fn argument(&self, n: u8) -> &'static str {
        let mut printer = Printer::new(self.test, self.prefix, self.waits, usize::from(n));
        if let Some(thread) = self.test.threads.get(usize::from(n)) {
            printer.block(&thread.body);
        }
        if looks_at_argument(&printer.out) { "&mine" } else { "0" }
    }

    fn target(&self, pointer: u8, target: Target) -> String {
        let prefix = self.prefix;
        match target {
            Target::Null => "0".to_string(),
            Target::Scalar(n) => format!("&{prefix}x{n}"),
            Target::Other => format!("{prefix}ptr{}", 1 - pointer),
            Target::Mine => "&mine".to_string(),
            Target::ThreadLocal => format!("&{prefix}tls"),
        }
    }
}
