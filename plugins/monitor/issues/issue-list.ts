import type { Issue } from "../types.ts";

/** The issues of what is deployed. */
export type IssueList = {
  /** Changes whenever an issue does. */
  readonly revision: number;
  /** Whether a running node uses this config node; also true before the first check. */
  isUsed(node: string): boolean;
  /** Errors first, ignored ones last. */
  all(): Issue[];
  /** Asks the service what only it knows, also by queries, then checks. Never rejects. */
  run(): Promise<void>;
  /** Checks with what is known already. Never rejects. */
  check(): Promise<void>;
  /** Remembered across restarts. */
  ignore(id: string, isIgnored: boolean): Promise<void>;
};
