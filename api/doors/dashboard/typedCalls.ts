import type { Page } from '../../core/http/operations';
import type { Answer, Wire } from '../../core/http/shapes';
import type { CallInput } from './callOperation';
import type { PageRequest } from './page';

/**
 * Calls an operation that answers with one object of the shape. The type of the answer follows from the shape; that the
 * operation has it is looked at here, since the table of operations does not know their types.
 */
export async function readOne<T>(
  page: PageRequest,
  shape: Wire<T>,
  operationId: string,
  input: CallInput = {},
  options: Parameters<PageRequest['call']>[2] = {},
): Promise<Answer<T>> {
  refuseOther(page, shape, operationId);
  return page.call<Answer<T>>(operationId, input, options);
}

function refuseOther(page: PageRequest, shape: unknown, operationId: string): void {
  if (page.operations.get(operationId)?.output !== shape) throw new Error(`${operationId} answers with another shape`);
}

/** Calls an operation that answers with a plain array of objects of the shape. */
export async function readList<T>(
  page: PageRequest,
  shape: Wire<T>,
  operationId: string,
  input: CallInput = {},
): Promise<readonly Answer<T>[]> {
  if (page.operations.get(operationId)?.output?.['items'] !== shape)
    throw new Error(`${operationId} answers with a list of another shape`);
  return page.call<readonly Answer<T>[]>(operationId, input);
}

/** Calls an operation that answers with a plain array whose count and neighbours its headers tell. */
export async function readCounted<T>(
  page: PageRequest,
  shape: Wire<T>,
  operationId: string,
  input: CallInput = {},
  options: Parameters<PageRequest['call']>[2] = {},
): Promise<Counted<Answer<T>>> {
  if (page.operations.get(operationId)?.output?.['items'] !== shape)
    throw new Error(`${operationId} answers with a list of another shape`);
  return page.call<Counted<Answer<T>>>(operationId, input, options);
}

/** A part of a list with how many there are in all. */
export type Counted<T> = Pick<Page<T>, 'items' | 'next' | 'previous'> & { readonly count: number };

/** Calls an operation that answers with a page of objects of the shape. */
export async function readPage<T>(
  page: PageRequest,
  shape: Wire<T>,
  operationId: string,
  input: CallInput = {},
): Promise<Page<Answer<T>>> {
  const output = page.operations.get(operationId)?.output as Listed | undefined;
  if (output?.properties?.results?.items !== shape)
    throw new Error(`${operationId} answers with a page of another shape`);
  return page.call<Page<Answer<T>>>(operationId, input);
}

/** What the schema of a page says of its items. */
interface Listed {
  readonly properties?: { readonly results?: { readonly items?: unknown } };
}

/** Makes something whose secret is shown once, once for the key of the form; null: the form was sent before. */
export async function makeOne<T>(
  page: PageRequest,
  shape: Wire<T>,
  operationId: string,
  input: CallInput,
): Promise<Answer<T> | null> {
  refuseOther(page, shape, operationId);
  return page.makeOnce<Answer<T>>(operationId, input);
}

/** Calls an operation that answers with one object of the shape once for the key that its form carries (`Once`). */
export async function callOnce<T>(
  page: PageRequest,
  shape: Wire<T>,
  operationId: string,
  input: CallInput,
): Promise<Answer<T>> {
  refuseOther(page, shape, operationId);
  return page.callOnce<Answer<T>>(operationId, page.form['once'] ?? '', input);
}
