import type { NodeDescription } from "../../../nodes/common/shared/fields.ts";
import { NODES } from "./field-tables.generated.ts";

/** The field tables of all nodes, by type. */
export const FIELD_TABLES: ReadonlyMap<string, NodeDescription> = new Map(
  NODES.map((node: NodeDescription) => [node.type, node]),
);
