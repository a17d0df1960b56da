import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import should from "should";
import type { Field, NodeDescription } from "../../../nodes/common/shared/fields.ts";
import { FIELD_TABLES } from "../../../plugins/monitor/diagnostics/field-tables.ts";
import {
  EXCEPTIONS,
  type Treatment,
  treatmentOf,
} from "../../../plugins/monitor/diagnostics/shown-fields.ts";

const folder = fileURLToPath(new URL("../../../nodes", import.meta.url));

/** What may be shown of each kind of field. */
const ALLOWED: Readonly<Record<Field["kind"], readonly Treatment[]>> = {
  text: ["none", "length", "count", "number", "duration", "address"],
  number: ["number"],
  boolean: ["switch"],
  select: ["choice", "length"],
  typed: ["length", "number"],
  config: ["reference"],
  credential: ["credential"],
  list: ["choices"],
  custom: ["none", "count"],
  hidden: ["none", "reference"],
  button: ["none"],
  section: ["none"],
  note: ["none"],
};

async function tables(): Promise<NodeDescription[]> {
  const names = readdirSync(folder).filter((name) => name !== "common");
  const modules = names.map((name) => import(`../../../nodes/${name}/fields.ts`));
  return (await Promise.all(modules)).map(({ NODE }: { NODE: NodeDescription }) => NODE);
}

describe("what diagnostics show of settings", () => {
  it("covers each node", async () => {
    const types = (await tables()).map(({ type }) => type).sort();
    should([...FIELD_TABLES.keys()].sort()).deepEqual(types, "Add the node to field-tables.ts.");
  });

  it("has exceptions only for fields that there are", () => {
    for (const [type, exceptions] of Object.entries(EXCEPTIONS)) {
      const fields = Object.keys(FIELD_TABLES.get(type)?.fields ?? {});
      should(Object.keys(exceptions).filter((name) => !fields.includes(name))).deepEqual([], type);
    }
  });

  it("fits the kind of the field: no free text, and of a credential only whether it is set", async () => {
    for (const { type, fields } of await tables()) {
      for (const [name, field] of Object.entries(fields)) {
        const isAllowed = ALLOWED[field.kind].includes(treatmentOf(type, name, field));
        should(isAllowed).equal(true, `${type}.${name}`);
      }
    }
  });
});
