import swagger from "@fastify/swagger";
import type { FastifySchema } from "fastify";
import Type, { type TSchema } from "typebox";
import { ERROR_CODES, ERROR_TYPES } from "../../../src/protocol/index.ts";
import type { Routes } from "./routes.ts";

declare module "fastify" {
  interface FastifySchema {
    /**
     * The answers by status: the schema of the body for a success, a text for an error. Used only for the description,
     * not to serialize. Answers of every route are added by themselves.
     */
    answers?: Readonly<Record<number, TSchema | string>>;
    /** More rules of the body as JSON Schema, used only for the description. */
    bodyRules?: Readonly<Record<string, unknown>>;
  }
}

/** How a route is validated and described: its tag and its name, what it does, takes and answers. */
export function documented<const Schemas extends FastifySchema & { summary: string }>(
  tag: string,
  operationId: string,
  schemas: Schemas,
) {
  return { schema: { tags: [tag], operationId, ...schemas } };
}

export const ErrorAnswer = Type.Object(
  {
    type: Type.String({
      description: `what kind of error: ${ERROR_TYPES.join(", ")}, UNAUTHORIZED (401) or FORBIDDEN (403)`,
    }),
    code: Type.Optional(Type.Enum([...ERROR_CODES], { description: "which error of this kind" })),
    message: Type.String({ description: "a sentence for people; programs use type and code" }),
  },
  { title: "Error", description: "why the call failed" },
);

/** Answers of every route. */
const ALWAYS: Record<number, string> = {
  408: "`VALIDATION_ERROR`: the request did not arrive in time.",
  429: "Too many requests. This service answers it only for a fault asked for under /local/faults.",
  417: "`VALIDATION_ERROR`: the header Expect has another value than 100-continue.",
  431: "`VALIDATION_ERROR`: the headers and the address are too long.",
  500: "`INTERNAL_ERROR`: the service failed; its log says why.",
  503: "`INTERNAL_ERROR`: the service is stopping.",
};
const WITH_KEY: Record<number, string> = {
  401: "The API key is missing, malformed or not the right one.",
  403: "The request is not for this machine, or was sent by a web page from elsewhere.",
};
const WITH_INPUT: Record<number, string> = { 400: "`VALIDATION_ERROR`: the request is not as described." };
const WITH_PARAMS: Record<number, string> = { 414: "`VALIDATION_ERROR`: an id in the path is too long." };
const WITH_BODY: Record<number, string> = {
  413: "`VALIDATION_ERROR`: the body is too large.",
  415: "`VALIDATION_ERROR`: the body is not JSON.",
};

/** Describes all routes that are registered afterwards, from the schemas that validate them. */
export async function describeApi(app: Routes): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Local channel service",
        version: "0.8.0",
        description:
          "The whole channel service on one machine. Only this service has the endpoints under /local.",
        license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
      },
      components: {
        securitySchemes: {
          apikey: {
            type: "apiKey",
            in: "header",
            name: "Authorization",
            description: "The word Apikey, a space, and the key.",
          },
        },
      },
      security: [{ apikey: [] }],
    },
    transform: ({ schema, url, route }) => ({ schema: described(schema ?? {}, [route.method].flat()), url }),
    transformObject: (document) =>
      "openapiObject" in document ? withNamedSchemas(document.openapiObject) : document.swaggerObject,
  });
}

/** The description, with the address that the caller used. */
export function descriptionAt(app: Routes, host: string | undefined): object {
  const url = host === undefined ? null : URL.parse(`http://${host}`);
  return { ...app.swagger(), servers: [{ url: url?.origin ?? "/", description: "This service" }] };
}

/** The schema for the generator, with every answer. */
function described(
  { answers = {}, bodyRules = {}, ...schema }: FastifySchema,
  methods: readonly string[],
): FastifySchema {
  const anonymous = schema.security?.length === 0;
  // A DELETE needs no body, but one that is sent is read.
  const readsBody = schema.body !== undefined || methods.includes("DELETE");
  const hasInput = schema.params ?? schema.querystring ?? (readsBody || undefined);
  const all = {
    ...ALWAYS,
    ...(anonymous ? {} : WITH_KEY),
    ...(hasInput === undefined ? {} : WITH_INPUT),
    ...(schema.params === undefined ? {} : WITH_PARAMS),
    ...(readsBody ? WITH_BODY : {}),
    ...answers,
  };
  if (!Object.keys(all).some((status) => status.startsWith("2"))) all[200] = "Done.";
  const body = schema.body === undefined ? {} : { body: { ...schema.body, ...bodyRules } };
  return { ...schema, ...body, response: Object.fromEntries(Object.entries(all).map(answer)) };
}

function answer([status, what]: [string, TSchema | string]): [string, object] {
  const isError = Number(status) >= 400;
  if (typeof what === "string") {
    const schema = isError ? ErrorAnswer : {};
    return [status, { description: what, content: { "application/json": { schema } } }];
  }
  const { description = "The answer." } = what as { description?: string };
  return [status, { description, content: { "application/json": { schema: what } } }];
}

/** Moves each schema with a title to the components under that name, and refers to it. */
function withNamedSchemas<T extends { paths?: object; components?: object }>(document: T): T {
  const schemas: Record<string, unknown> = {};
  const named = (at: unknown): unknown => {
    if (Array.isArray(at)) return at.map(named);
    if (typeof at !== "object" || at === null) return at;
    const read = withOptionalDefaults(
      Object.fromEntries(Object.entries(at).map(([key, value]) => [key, named(value)])),
    );
    const { title, ...schema } = read;
    if (typeof title !== "string") return read;
    const known = schemas[title];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two schemas are called ${title}.`);
    }
    schemas[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  };
  const paths = named(document.paths);
  return { ...document, paths, components: { ...document.components, schemas } };
}

/** Fields with a default are optional: the validator fills them in first. */
function withOptionalDefaults(at: Record<string, unknown>): Record<string, unknown> {
  const hasDefault = (schema: unknown) =>
    typeof schema === "object" && schema !== null && "default" in schema;
  if (hasDefault(at.schema) && at.required === true) return { ...at, required: false };
  if (!Array.isArray(at.required)) return at;
  const properties = (at.properties ?? {}) as Record<string, unknown>;
  return { ...at, required: at.required.filter((name) => !hasDefault(properties[name])) };
}
