/** Says to whom a step assigned its subject. */
export function memberDetail(id: number | null | undefined): string {
  return id === null || id === undefined ? 'Unassigned from its member.' : `Assigned to member ${id}.`;
}

/** Says to which team inbox a step assigned its subject. */
export function inboxDetail(id: number | null | undefined): string {
  return id === null || id === undefined ? 'Taken out of its team inbox.' : `Assigned to team inbox ${id}.`;
}
