import type { TestWorkspace } from './workspaces';

interface UploadAnswer {
  readonly status: number;
  readonly code: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Posts a form with one file, as any program would. */
export async function postFile(
  workspace: TestWorkspace,
  bytes: Buffer,
  { name = 'photo.png', type = '', part = 'file' } = {},
): Promise<UploadAnswer> {
  const form = new FormData();
  form.set(part, new Blob([new Uint8Array(bytes)], { type }), name);
  const answer = await fetch(`${workspace.server.url}/api/v1/media/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.token}` },
    body: form,
  });
  const body = (await answer.json()) as UploadAnswer['body'];
  return { status: answer.status, code: answer.headers.get('x-error-code'), body };
}

/** Uploads a file; gives its id. */
export async function uploadFile(workspace: TestWorkspace, bytes: Buffer, name?: string): Promise<string> {
  const { status, body } = await postFile(workspace, bytes, { name });
  if (status !== 201) throw new Error(`the file was refused: ${JSON.stringify(body)}`);
  return String(body['id']);
}
