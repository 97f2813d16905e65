/** The longest edge of a picture for models: what is larger they scale down to about this themselves. */
const maxEdge = 1_568;
/** More pixels than any phone takes; a small file can claim any number. */
const maxPixels = 50_000_000;
/** How well a picture is kept, as long as it is too large. */
const qualities = [80, 50, 25];

/**
 * Returns a picture as a JPEG of at most so many bytes, upright and with nothing but its pixels: no words are hidden in
 * it, and no place where it was taken. Null for what is no picture that can be read.
 */
export async function scaledPicture(bytes: Buffer, maxBytes: number): Promise<Buffer | null> {
  // Of use to few processes, and a library of 18 MB.
  const { default: sharp } = await import('sharp');
  try {
    const pixels = await sharp(bytes, { limitInputPixels: maxPixels, pages: 1 })
      .timeout({ seconds: 5 })
      .rotate()
      .resize(maxEdge, maxEdge, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#fff' })
      .removeAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = pixels.info;
    for (const quality of qualities) {
      const picture = await sharp(pixels.data, { raw: { width, height, channels } }).jpeg({ quality }).toBuffer();
      if (picture.length <= maxBytes) return picture;
    }
    return null;
  } catch {
    return null;
  }
}
