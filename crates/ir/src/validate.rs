#[derive(Debug)] pub struct ValidateError; pub fn validate(_p:&crate::Program)->Result<(),ValidateError>{Ok(())}
