import should from "should";
import Schema from "typebox/schema";
import type { Json } from "../client.ts";
import { table } from "../row.ts";

// Not in the specification: a service that describes itself must be as it says.
export const { rows, row } = table();

/** A schema of the description without references, that allows no member it does not name. */
function closed(schema: Json, components: Json): Json {
  if (Array.isArray(schema)) return schema.map((one) => closed(one, components));
  if (typeof schema !== "object" || schema === null) return schema;
  if (typeof schema.$ref === "string")
    return closed(components.schemas[schema.$ref.split("/").at(-1)], components);
  const read = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value, components)]),
  );
  return read.properties === undefined || "additionalProperties" in read
    ? read
    : { ...read, additionalProperties: false };
}

/** A path of the description as a pattern. */
function pattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);
}

row("–", "every answer so far is one of those that /openapi.json describes", ["local"], async (world) => {
  const { paths, components } = await world.get("/openapi.json");
  const known = Object.entries<Json>(paths)
    // What has a name of its own goes before what has a parameter in its place.
    .sort(([one], [other]) => one.split("{").length - other.split("{").length)
    .map(([path, methods]) => ({ matches: pattern(path), methods }));
  const checks = new Map<Json, { Check(value: unknown): boolean; Errors(value: unknown): Json }>();
  const failures: string[] = [];
  for (const { method, path, status, body } of world.seen) {
    const plain = path.split("?", 1)[0] ?? "";
    const route = known.find(({ matches }) => matches.test(plain))?.methods[method.toLowerCase()];
    if (route === undefined || plain === "/openapi.json") continue;
    const schema = route.responses[status]?.content["application/json"].schema;
    if (schema === undefined) {
      failures.push(`${method} ${plain} answers ${status}, which is not described`);
      continue;
    }
    if (!checks.has(schema)) checks.set(schema, Schema.Compile(closed(schema, components)));
    const check = checks.get(schema);
    if (check?.Check(body)) continue;
    failures.push(
      `${method} ${plain} ${status}: ${JSON.stringify(check?.Errors(body)).slice(0, 600)} of ${JSON.stringify(body).slice(0, 600)}`,
    );
  }
  should([...new Set(failures)].slice(0, 5)).eql([]);
  should(checks.size).be.above(25);
});
