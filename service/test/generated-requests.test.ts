import fc from "fast-check";
import should from "should";
import { Compile } from "typebox/compile";
import { sized } from "../../test/support/variants.ts";
import { type Api, startTestService, TRANSFER } from "./support.ts";

type Schema = { $ref?: string; properties?: Record<string, Schema>; [keyword: string]: unknown };
type Content = { content?: Record<string, { schema: Schema }> };
type Operation = {
  parameters?: Array<{ name: string; in: string; schema: Schema }>;
  requestBody?: Content;
  responses: Record<string, Content>;
};
type Description = {
  servers: Array<{ url: string }>;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** So many requests to each call, the same ones each time. */
const RUNS = { numRuns: sized(10, 30), seed: 15 };
/** What these do takes long, or changes how the others go. */
const LEFT_OUT = /^\/local\/(mine|reorg|speed|traffic|failures|scenarios\/.*)$/;
/** What no schema describes and no route expects. */
const HOSTILE = [null, 0, -1, 1e308, "", "\u0000", "💥".repeat(300), "9".repeat(78), [], [[[]]], {}, true];

describe("requests generated from the description", function () {
  this.timeout(180_000);
  let api: Api;
  let description: Description;
  let dispose: () => Promise<void>;
  let known: Record<string, unknown>;
  const validators = new Map<Content | undefined, { Check(value: unknown): boolean }>();

  before(async () => {
    ({ api, dispose } = await startTestService());
    description = await api.ok<Description>("GET", "/openapi.json");
    const { chain_selector, contracts } = api.ready;
    const channel_id = await api.channel();
    const { watcher_id } = await api.transferWatcher(channel_id);
    known = { channel_id, watcher_id, chain_selector, contract_address: contracts.DemoToken };
  });
  after(() => dispose());

  it("are answered as described, with no other status or body", async () => {
    for (const [path, methods] of Object.entries(description.paths)) {
      if (LEFT_OUT.test(path)) continue;
      for (const [method, operation] of Object.entries(methods)) {
        for (const request of fc.sample(requestOf(operation), RUNS))
          await send(method, path, operation, request);
      }
    }
  });

  it("know the URL of the service and every rule of a watcher", async () => {
    should(description.servers.map(({ url }) => url)).eql([api.ready.base_url]);
    const { chain_selector, contracts } = api.ready;
    const good = { name: "watch", chain_selector, address: contracts.DemoToken, events: ["Transfer"] };
    const isDescribed = Compile(resolved({ $ref: "#/components/schemas/NewWatcher" }) as never);
    const path = `/channels/${known.channel_id}/watchers`;
    for (const [body, status] of [
      [{ ...good, abi: [TRANSFER] }, 201],
      [{ ...good, name: "other", service: "erc20", service_config: {} }, 201],
      [{ ...good, name: "  abc  ", abi: [TRANSFER] }, 400],
      [good, 400],
      [{ ...good, abi: [TRANSFER], service: "erc20" }, 400],
      [{ ...good, abi: [TRANSFER], service_config: {} }, 400],
    ] as const) {
      should((await api.call("POST", path, body)).status).equal(status);
      should(isDescribed.Check(body)).equal(status === 201, JSON.stringify(body));
    }
  });

  it("can have null as the operation name of a GraphQL query", async () => {
    const body = { query: "{ getAccountDetails { memberId } }", operationName: null, variables: null };
    should((await api.call("POST", "/graphql", body)).status).equal(200);
    const described = description.paths["/graphql"]?.post;
    should(Compile(resolved(jsonOf(described?.requestBody)) as never).Check(body)).be.true();
    should(Object.keys(described?.responses ?? {})).containDeep(["400", "401", "406", "415"]);
  });

  type Request = { path: Record<string, unknown>; query: Record<string, unknown>; body: unknown };

  async function send(method: string, path: string, operation: Operation, request: Request): Promise<void> {
    const query = Object.entries(request.query).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    );
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      encodeURIComponent(String(request.path[name]) || "-"),
    );
    const target = `${filled}?${new URLSearchParams(query)}`;
    const { status, body } = await api.call<unknown>(method.toUpperCase(), target, request.body);
    const what =
      `${method} ${target} ${JSON.stringify(request.body)} → ${status} ${JSON.stringify(body)}`.slice(
        0,
        2000,
      );
    if (path === "/local/faults") await api.ok("DELETE", path);
    should(status).be.below(500, what);
    should(status in operation.responses).be.true(what);
    should(validatorOf(operation.responses[status]).Check(body)).be.true(what);
  }

  /** Compiling takes longer than the request. */
  function validatorOf(answer: Content | undefined): { Check(value: unknown): boolean } {
    const found = validators.get(answer) ?? Compile(resolved(jsonOf(answer)) as never);
    validators.set(answer, found);
    return found;
  }

  function requestOf(operation: Operation): fc.Arbitrary<Request> {
    const parametersIn = (where: string) => {
      const parameters = (operation.parameters ?? []).filter((one) => one.in === where);
      const values = parameters.map(({ name, schema }) => [name, sample(resolved(schema), name)]);
      return Object.fromEntries(values) as Record<string, fc.Arbitrary<unknown>>;
    };
    const body =
      operation.requestBody === undefined
        ? fc.constant(undefined)
        : sample(resolved(jsonOf(operation.requestBody)), "");
    return fc.record({
      path: fc.record(parametersIn("path")),
      query: fc.record(parametersIn("query"), { requiredKeys: [] }),
      body,
    });
  }

  /** Values as the schema has them, now and then one that it has not; ids and addresses are mostly real. */
  function sample(schema: Schema, name: string): fc.Arbitrary<unknown> {
    const described = describedValue(schema);
    const all = [
      { arbitrary: described, weight: 10 },
      { arbitrary: fc.constantFrom(...HOSTILE.filter((value) => name !== "" || value !== null)), weight: 1 },
    ];
    if (name in known) all.push({ arbitrary: fc.constant(known[name]), weight: 30 });
    return fc.oneof(...all);
  }

  function describedValue(schema: Schema): fc.Arbitrary<unknown> {
    const alternatives = schema.anyOf ?? undefined;
    if (alternatives !== undefined) return fc.oneof(...(alternatives as Schema[]).map(describedValue));
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as unknown[]));
    const { minimum = -5, maximum = 1e6, minLength = 0, maxLength = 30 } = schema as Record<string, number>;
    switch (schema.type) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer":
        return fc.integer({ min: minimum, max: Math.min(maximum, 1e6) });
      case "number":
        return fc.double({ min: minimum, max: maximum, noNaN: true });
      case "string":
        return typeof schema.pattern === "string"
          ? fc.stringMatching(new RegExp(schema.pattern))
          : fc.string({ minLength, maxLength: Math.min(maxLength, 300), unit: "binary" });
      case "array":
        return fc.array(sample(schema.items as Schema, "item"), { maxLength: 4 });
      case "object":
        return objectOf(schema);
      default:
        return fc.jsonValue();
    }
  }

  function objectOf({ properties, required }: Schema): fc.Arbitrary<unknown> {
    if (properties === undefined) return fc.dictionary(fc.string(), fc.jsonValue());
    const values = Object.entries(properties).map(([name, one]) => [name, sample(one, name)]);
    const model = Object.fromEntries(values) as Record<string, fc.Arbitrary<unknown>>;
    return fc.record(model, { requiredKeys: (required ?? []) as string[] });
  }

  /** With what its references mean in their place. */
  function resolved(schema: Schema): Schema {
    return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
      const { $ref } = Object(value) as Schema;
      if ($ref === undefined) return value;
      return resolved(description.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {});
    }) as Schema;
  }
});

function jsonOf(content: Content | undefined): Schema {
  return content?.content?.["application/json"]?.schema ?? {};
}
