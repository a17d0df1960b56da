import Type from "typebox";
import { ABSENT_KINDS, type Absences } from "../absences.ts";
import type { Routes } from "./routes.ts";
import { milliseconds, oneOf, STRICT, times } from "./schemas.ts";

/** What the service does not find just after its create. */
export const Absence = Type.Object(
  {
    kind: Type.Optional(oneOf(ABSENT_KINDS)),
    times: times("creates it meets"),
    delayMs: milliseconds(5000),
  },
  { title: "Absence", description: "an object of kind, times and delayMs", ...STRICT },
);
const AbsenceList = Type.Object({ absences: Type.Array(Absence) }, { title: "AbsenceList" });

export function localAbsenceRoutes(app: Routes, absences: Absences): void {
  app.post(
    "/absences",
    {
      schema: {
        tags: ["local"],
        operationId: "addAbsence",
        summary: "Answers 404 for what is created next, for a time after its create",
        body: Absence,
        answers: { 201: AbsenceList },
      },
    },
    (request, reply) => {
      absences.add(request.body);
      reply.code(201);
      return { absences: absences.list() };
    },
  );

  app.delete(
    "/absences",
    {
      schema: {
        tags: ["local"],
        operationId: "clearAbsences",
        summary: "Finds everything again",
        answers: { 200: AbsenceList },
      },
    },
    () => {
      absences.clear();
      return { absences: [] };
    },
  );
}
