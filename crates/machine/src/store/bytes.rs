//! Bytes of an object, and which of their bits are undefined.

use super::Object;

impl Object {
    #[inline]
    pub(crate) fn put(&mut self, offset: u32, len: u32, value: u64) {
        let bytes = value.to_le_bytes();
        self.data[offset as usize..(offset + len) as usize].copy_from_slice(&bytes[..len as usize]);
    }

    #[inline]
    pub(crate) fn undefined_bits(&self, offset: u32, len: u32) -> u64 {
        let Some(masks) = &self.undefined else { return 0 };
        let masks = &masks[offset as usize..(offset + len) as usize];
        let mut bytes = [0u8; 8];
        bytes[..masks.len()].copy_from_slice(masks);
        u64::from_le_bytes(bytes)
    }

    pub(crate) fn put_undefined(&mut self, offset: u32, len: u32, undefined: u64) {
        if undefined == 0 && self.undefined.is_none() {
            return;
        }
        let masks = self.undefined.get_or_insert_with(|| vec![0; self.data.len()]);
        let bytes = undefined.to_le_bytes();
        masks[offset as usize..(offset + len) as usize].copy_from_slice(&bytes[..len as usize]);
    }
}
