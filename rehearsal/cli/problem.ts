/** A wrong call or file: one sentence for the person who calls the command, and what to do. */
export class CommandProblem extends Error {}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
