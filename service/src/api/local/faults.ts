import { validateHeaderName, validateHeaderValue } from "node:http";
import Type from "typebox";
import { invalid, messageOf } from "../../errors.ts";
import { FAULT_ACTIONS, type Fault, type Faults } from "../../injected-failures/lists.ts";
import type { Routes } from "../routes.ts";
import { milliseconds, oneOf, STRICT, times } from "../schemas.ts";
import { countedListRoutes } from "./counted-list.ts";

export const FaultAnswer = Type.Object(
  {
    match: Type.Optional(
      Type.Object(
        { method: Type.Optional(Type.String()), path: Type.Optional(Type.String()) },
        { description: "an object of method and path, or one of them", ...STRICT },
      ),
    ),
    times: times("requests it applies to"),
    action: oneOf(FAULT_ACTIONS),
    status: Type.Optional(
      Type.Integer({ minimum: 400, maximum: 599, description: "an HTTP status from 400 to 599" }),
    ),
    delayMs: Type.Optional(milliseconds(1000)),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "an object of header names and values" }),
    ),
    body: Type.Optional(
      Type.String({
        description: "the body as text, by default that of an error; JSON unless headers say otherwise",
      }),
    ),
  },
  {
    title: "Fault",
    description: "an object that says what goes wrong with which of the next calls",
    ...STRICT,
  },
);
/** Headers that frame the answer, and so cannot be chosen. */
const FRAMING = ["content-length", "transfer-encoding", "trailer", "upgrade"];

/** @throws ApiError 400 when no answer can have these headers. */
function refuseImpossibleHeaders({ headers = {} }: Fault): void {
  for (const [name, value] of Object.entries(headers)) {
    if (FRAMING.includes(name.toLowerCase())) {
      throw invalid(`headers must not have ${name}: it is set from the answer. Leave it out.`);
    }
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      throw invalid(
        `headers cannot be sent as they are: ${messageOf(error)}. Correct the header, or leave it out.`,
      );
    }
  }
}

export function faultRoutes(app: Routes, faults: Faults): void {
  countedListRoutes(app, {
    name: "faults",
    title: "FaultList",
    item: FaultAnswer,
    list: faults,
    check: refuseImpossibleHeaders,
    add: {
      operationId: "addFault",
      summary: "Makes the next matching calls fail, wait, or lose their answer",
    },
    clear: { operationId: "clearFaults", summary: "Clears all faults" },
  });
}
