pub fn print_program(_p:&crate::Program)->String{String::new()} pub fn print_function(_p:&crate::Program,_f:crate::FuncId)->String{String::new()}
