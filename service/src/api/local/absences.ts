import Type from "typebox";
import { ABSENT_KINDS, type Absences } from "../../injected-failures/lists.ts";
import type { Routes } from "../routes.ts";
import { milliseconds, oneOf, STRICT, times } from "../schemas.ts";
import { countedListRoutes } from "./counted-list.ts";

export const AbsenceAnswer = Type.Object(
  {
    kind: Type.Optional(oneOf(ABSENT_KINDS)),
    times: times("creates it applies to"),
    delayMs: milliseconds(5000),
  },
  { title: "Absence", description: "an object of kind, times and delayMs", ...STRICT },
);

export function absenceRoutes(app: Routes, absences: Absences): void {
  countedListRoutes(app, {
    name: "absences",
    title: "AbsenceList",
    item: AbsenceAnswer,
    list: absences,
    add: {
      operationId: "addAbsence",
      summary: "Answers 404 for the next resources for some time after their create",
    },
    clear: { operationId: "clearAbsences", summary: "Clears all absences: everything is found again" },
  });
}
