import Type, { type Static, type TSchema } from "typebox";
import type { Routes } from "../routes.ts";

type Documented = { operationId: string; summary: string };

type CountedListRoutes<T extends TSchema> = {
  /** The path, and the member of the answers. */
  name: string;
  /** Of the answers' schema. */
  title: string;
  item: T;
  list: { add(item: Static<T>): void; list(): Static<T>[]; clear(): void };
  /** What the schema cannot say. @throws ApiError 400 */
  check?: (item: Static<T>) => void;
  add: Documented;
  clear: Documented;
};

/** `POST` adds to a list of injected failures, `DELETE` clears it. Both return what is left. */
export function countedListRoutes<T extends TSchema>(app: Routes, routes: CountedListRoutes<T>): void {
  const { name, title, item, list, check } = routes;
  const path = `/${name}`;
  const Answer = Type.Object({ [name]: Type.Array(item) }, { title });

  app.post(
    path,
    { schema: { tags: ["local"], ...routes.add, body: item, answers: { 201: Answer } } },
    (request, reply) => {
      const asked = request.body as Static<T>;
      check?.(asked);
      list.add(asked);
      reply.code(201);
      return { [name]: list.list() };
    },
  );

  app.delete(path, { schema: { tags: ["local"], ...routes.clear, answers: { 200: Answer } } }, () => {
    list.clear();
    return { [name]: list.list() };
  });
}
