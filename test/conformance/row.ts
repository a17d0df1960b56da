import type { Need, World } from "./world.ts";

/**
 * One observable sentence of the specification. `of` names its sections: S of the specification of resources and
 * lifecycles, C of the wire contract that fills in what the first does not show.
 */
export type Row = {
  of: string;
  says: string;
  needs: readonly Need[];
  check: (world: World) => Promise<void>;
};

/** Collects the rows of one file: `row("C2", "says what", ["wallet"], async (world) => …)`. */
export function table() {
  const rows: Row[] = [];
  const row = (of: string, says: string, needs: readonly Need[], check: Row["check"]) => {
    rows.push({ of, says, needs, check });
  };
  return { rows, row };
}
