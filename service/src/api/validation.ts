import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import Value from "typebox/value";
import { invalid } from "../api-error.ts";
import { ID_PATTERN } from "./schemas.ts";

type Problem = { keyword: string; schemaPath: string; instancePath: string; params: object; message: string };

/** So many lists and objects within one another: no request of the contract comes near it. */
const MOST_NESTED = 100;

/**
 * Validates by TypeBox. Query parameters are text, so they are read as what they should be first; bodies are taken
 * as they are: "5" is no number there. What fails is one sentence that names the field.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = Compile(schema);
  return (input) => {
    // Fastify gives null where there is no body.
    if (httpPart === "body" && (input === undefined || input === null)) {
      return { error: invalid("A body is required: JSON with the content type application/json.") };
    }
    // Before anything else looks at it: what follows, here and in the routes, goes by the stack.
    if (isNestedDeeper(input, MOST_NESTED)) {
      return {
        error: invalid(
          `The request is nested too deeply: at most ${MOST_NESTED} lists and objects in one another.`,
        ),
      };
    }
    const given = Value.Default(schema, structuredClone(input ?? {}));
    const value = httpPart === "body" ? given : readTexts(schema, given);
    if (validator.Check(value)) return { value: withLowerIds(schema, value) };
    return { error: invalid(explain(schema, validator.Errors(value) as Problem[], httpPart)) };
  };
};

/** Level by level, so that no depth is too much for the stack. */
function isNestedDeeper(input: unknown, most: number): boolean {
  let level = [input];
  for (let depth = 0; depth <= most; depth += 1) {
    level = level.flatMap((value) =>
      Object.values(Object(value)).filter((inner) => typeof inner === "object" && inner !== null),
    );
    if (level.length === 0) return false;
  }
  return true;
}

/** Digits become a number where one is wanted, a single value a list. Whatever else stays as it is, and fails. */
function readTexts(schema: TSchema, given: unknown): unknown {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const read = Object.entries(Object(given)).map(([name, value]) => {
    const wanted = properties[name]?.type;
    if (wanted === "integer" && typeof value === "string" && /^-?\d+$/.test(value))
      return [name, Number(value)];
    return [name, wanted === "array" && !Array.isArray(value) ? [value] : value];
  });
  return Object.fromEntries(read);
}

/** With ids as they are stored, wherever they stand. */
function withLowerIds(schema: TSchema, value: unknown): unknown {
  const { pattern, properties, items } = schema as Partial<
    Record<"pattern" | "properties" | "items", unknown>
  >;
  if (typeof value === "string") return pattern === ID_PATTERN ? value.toLowerCase() : value;
  if (Array.isArray(value)) return items ? value.map((one) => withLowerIds(items as TSchema, one)) : value;
  if (typeof value !== "object" || value === null || !properties) return value;
  const known = properties as Record<string, TSchema>;
  const members = Object.entries(value).map(([name, member]) => {
    const inner = Object.hasOwn(known, name) ? known[name] : undefined;
    return [name, inner === undefined ? member : withLowerIds(inner, member)];
  });
  return Object.fromEntries(members);
}

function explain(schema: TSchema, problems: Problem[], httpPart: string | undefined): string {
  // Of a failed choice, what each alternative lacks says nothing; the choice itself does.
  const problem =
    problems.findLast(({ keyword }) => keyword === "anyOf") ??
    problems.find(({ keyword }) => keyword !== "boolean") ??
    problems[0];
  if (problem === undefined) return "The request is not valid.";
  const field = fieldName(problem.instancePath);
  const where = field === "" ? (httpPart === "body" ? "The body" : "The query") : field;
  if (problem.keyword === "required") {
    const { requiredProperties } = problem.params as { requiredProperties: string[] };
    return `${field === "" ? "" : `${field}: `}${requiredProperties.join(", ")} is required.`;
  }
  if (problem.keyword === "additionalProperties") {
    const { additionalProperties } = problem.params as { additionalProperties: string[] };
    return `${where} takes no field ${additionalProperties.join(", ")}.`;
  }
  const wanted = describedAt(schema, problem.schemaPath);
  return wanted === undefined ? `${where} ${problem.message}.` : `${where} must be ${wanted}.`;
}

function fieldName(instancePath: string): string {
  return instancePath
    .slice(1)
    .replaceAll(/\/(\d+)/g, "[$1]")
    .replaceAll("/", ".");
}

/** The description of the innermost described schema on the way to `path`, as in `#/properties/name`. */
function describedAt(schema: TSchema, path: string): string | undefined {
  let at: unknown = schema;
  let described = (schema as { description?: string }).description;
  for (const step of path.split("/").slice(1)) {
    if (typeof at !== "object" || at === null) break;
    at = (at as Record<string, unknown>)[step];
    const description = (at as { description?: unknown } | undefined)?.description;
    if (typeof description === "string") described = description;
  }
  return described;
}
