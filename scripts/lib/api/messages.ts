import { readFileSync } from "node:fs";
import { join } from "node:path";
import { shortName } from "../../../nodes/common/shared/field-rules.ts";
import { FIELD_TABLES } from "../../../plugins/monitor/diagnostics/field-tables.ts";
import { root } from "../paths.mjs";

/** A field of the help, or several with one type: "`crec.operationId`, `crec.status` (string): …". */
const FIELD = /`([^`]+)`(?: \(([^)]*)\))?/g;
const FIELDS = /^ *- ((?:`[^`]+`(?: \([^)]*\))?(?:, )?)+):/;

/** The fields of messages, as the help of each node lists them under *Inputs* and *Outputs*. */
export function messagesReport(): Record<string, string> {
  return Object.assign({}, ...[...FIELD_TABLES.keys()].map(ofNode));
}

function ofNode(type: string) {
  const name = shortName(type);
  const help = readFileSync(join(root, "nodes", name, "locales/en-US", `${name}.md`), "utf8");
  const found: Record<string, string> = {};
  let place = "";
  for (const line of help.split("\n")) {
    const heading = /^### (.*)$/.exec(line)?.[1];
    if (heading !== undefined) place = heading === "Inputs" ? "input" : heading === "Outputs" ? "output" : "";
    const output = /^(\d+)\. /.exec(line)?.[1];
    if (place.startsWith("output") && output !== undefined) place = `output ${output}`;
    const fields = FIELDS.exec(line)?.[1];
    if (place !== "" && fields !== undefined) {
      for (const [field, kind] of typed(fields)) found[`${type} ${place} ${field}`] = kind;
    }
  }
  return found;
}

/** A type stands behind the last of the fields that have it. */
function typed(text: string): Array<[field: string, type: string]> {
  const fields = [...text.matchAll(FIELD)].map(([, field = "", type]) => ({ field, type }));
  let type = "";
  return fields
    .toReversed()
    .map((one) => {
      type = one.type ?? type;
      return [one.field, type] as [string, string];
    })
    .reverse();
}
