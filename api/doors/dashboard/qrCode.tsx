import { Raw, type Html } from './html';

/** Draws a text as a QR code: dark on white in both themes, as cameras want it. */
export async function drawQrCode(text: string): Promise<Html> {
  // Loaded when the first one is shown: hardly any process needs it.
  const { toString } = await import('qrcode');
  const svg = await toString(text, { type: 'svg', margin: 2 });
  return (
    <div class="qr-code">
      <Raw html={svg} />
    </div>
  );
}
