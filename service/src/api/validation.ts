import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import Value from "typebox/value";
import { invalid } from "../errors.ts";
import { ID_PATTERN } from "./schemas.ts";

/** What the schema says of one parameter. */
type Parameter = { type?: string; default?: unknown; pattern?: string };

type Problem = { keyword: string; schemaPath: string; instancePath: string; params: object; message: string };

/** Maximum depth of lists and objects: far more than any request of the contract needs. */
const MAX_DEPTH = 100;

/**
 * Validates with TypeBox. Query parameters are text and are converted first; bodies are not: "5" is not a number there.
 * An error is one sentence that names the field.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = Compile(schema);
  const refusal = (value: unknown) => ({
    error: invalid(explain(schema, validator.Errors(value) as Problem[], httpPart)),
  });
  if (httpPart !== "body") {
    const read = parameterReader(schema);
    return (input) => {
      const value = read(input);
      return validator.Check(value) ? { value } : refusal(value);
    };
  }
  return (input) => {
    // Fastify passes null where there is no body.
    if (input === undefined || input === null) {
      return { error: invalid("A body is required: JSON with the content type application/json.") };
    }
    // First of all: what follows, here and in the routes, is recursive.
    if (isNestedDeeper(input, MAX_DEPTH)) {
      return {
        error: invalid(
          `The request is nested too deeply: at most ${MAX_DEPTH} lists and objects in one another.`,
        ),
      };
    }
    const value = Value.Default(schema, structuredClone(input));
    return validator.Check(value) ? { value: withLowerIds(schema, value) } : refusal(value);
  };
};

/** Level by level, so that no depth overflows the stack. */
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

/**
 * Reads parameters, which are text: with default values, digits as a number, a single value as a list and ids in lower
 * case, where the schema asks for it. Other values stay, and fail.
 */
function parameterReader({ properties = {} }: TSchema & { properties?: Record<string, Parameter> }) {
  const known = Object.entries(properties);
  return (given: unknown): Record<string, unknown> => {
    const read: Record<string, unknown> = { ...Object(given) };
    for (const [name, { default: byDefault, pattern, type }] of known) {
      const value = read[name] ?? byDefault;
      if (value === undefined) continue;
      if (type === "integer" && typeof value === "string" && /^-?\d+$/.test(value))
        read[name] = Number(value);
      else if (type === "array" && !Array.isArray(value)) read[name] = [value];
      else if (pattern === ID_PATTERN && typeof value === "string") read[name] = value.toLowerCase();
      else read[name] = value;
    }
    return read;
  };
}

/** Converts all ids to lower case, as they are stored. */
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
  // For a failed union, report the union, not its alternatives.
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

/** The description of the innermost schema with a description on the way to `path`, such as `#/properties/name`. */
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
