/** Ogg's own checksum: CRC-32 with no reflection and no complement. */
function checksum(page: Buffer): number {
  let crc = 0;
  for (const byte of page) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0;
}

function page(number: number, flags: number, position: number, packets: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(27 + packets.length);
  head.write('OggS');
  head.writeUInt8(flags, 5);
  head.writeBigUInt64LE(BigInt(position), 6);
  head.writeUInt32LE(1, 14);
  head.writeUInt32LE(number, 18);
  head.writeUInt8(packets.length, 26);
  packets.forEach((packet, index) => head.writeUInt8(packet.length, 27 + index));
  const whole = Buffer.concat([head, ...packets]);
  whole.writeUInt32LE(checksum(whole), 22);
  return whole;
}

/** Returns a voice message that a browser plays: two seconds of silence in Opus. */
export function silentVoice(): Buffer {
  const head = Buffer.from('4f707573486561640101380180bb0000000000', 'hex');
  const tags = Buffer.concat([
    Buffer.from('OpusTags'),
    Buffer.from([4, 0, 0, 0]),
    Buffer.from('desk'),
    Buffer.alloc(4),
  ]);
  // Twenty milliseconds each.
  const silence = Array.from({ length: 100 }, () => Buffer.from([0xf8, 0xff, 0xfe]));
  return Buffer.concat([page(0, 2, 0, [head]), page(1, 0, 0, [tags]), page(2, 4, 100 * 960 + 312, silence)]);
}
