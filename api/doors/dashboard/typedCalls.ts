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
): Promise<Answer<T>> {
  if (page.operations.get(operationId)?.output !== shape) throw new Error(`${operationId} answers with another shape`);
  return page.call<Answer<T>>(operationId, input);
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
