//! Bytes of an object, and which of them were written.

use super::Object;

impl Object {
    #[inline]
    pub(super) fn put(&mut self, offset: u32, len: u32, value: u64, written: u8) {
        let bytes = value.to_le_bytes();
        self.data[offset as usize..(offset + len) as usize].copy_from_slice(&bytes[..len as usize]);
        if self.written.is_none() && written != low_bits(len) {
            self.written = Some(vec![0xff; self.data.len().div_ceil(8)]);
        }
        if let Some(bits) = &mut self.written {
            for i in 0..len {
                let (byte, bit) = (((offset + i) / 8) as usize, 1 << ((offset + i) % 8));
                if written >> i & 1 != 0 {
                    bits[byte] |= bit;
                } else {
                    bits[byte] &= !bit;
                }
            }
        }
    }
}

#[inline]
pub(super) fn low_bits(len: u32) -> u8 {
    ((1u32 << len) - 1) as u8
}

pub(super) fn written_bits(bits: &[u8], offset: u32, len: u32) -> u8 {
    (0..len).fold(0, |mask, i| {
        let at = offset + i;
        mask | (bits[(at / 8) as usize] >> (at % 8) & 1) << i
    })
}
