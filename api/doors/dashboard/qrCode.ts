/** Returns a text as the SVG of a QR code: dark on white in both themes, as cameras want it. */
export async function qrCode(text: string): Promise<string> {
  // Loaded when the first one is shown: hardly any process needs it.
  const { toString } = await import('qrcode');
  return toString(text, { type: 'svg', margin: 2 });
}
