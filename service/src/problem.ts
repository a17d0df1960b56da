/** Why the service cannot start or go on: one sentence that says what to do. Shown without a stack. */
export class ServiceProblem extends Error {
  override readonly name = "ServiceProblem";
}

/** The message of anything thrown, for logs. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
