import { make } from "../../../nodes/common/editor/elements.ts";
import { getJson, postJson, refusalOf } from "../../../nodes/common/editor/lookups/admin-requests.ts";
import type { Answer } from "../../../nodes/common/shared/form-types.ts";
import {
  type RehearsalState,
  type SavedFile,
  type ShownDifferences,
  type ShownReport,
  type StartQuestion,
  UPLOAD,
  type UploadQuestion,
} from "../types.ts";
import { word } from "./words.ts";

/** What the run time is asked. Each rejects with an `Error` whose message is a sentence for a person. */
export const requests = {
  start: (question: StartQuestion) => answered(postJson<RehearsalState>("crec/rehearsal/start", question)),
  progress: () => answered(getJson<RehearsalState>("crec/rehearsal/progress")),
  cancel: () => answered(postJson<object>("crec/rehearsal/cancel")),
  report: (number: number) => answered(getJson<ShownReport>(`crec/rehearsal/report?number=${number}`)),
  message: (number: number, outcome: number) =>
    answered(getJson<{ message: unknown }>(`crec/rehearsal/message?number=${number}&outcome=${outcome}`)),
  differences: (number: number) =>
    answered(getJson<ShownDifferences>(`crec/rehearsal/differences?number=${number}`)),
  file: (number: number, kind: FileKind) =>
    answered(getJson<SavedFile>(`crec/rehearsal/file?number=${number}&kind=${kind}`)),
  upload,
};

/** What a rehearsal is saved as. `test`: what `crec-rehearse` compares with. */
export type FileKind = "json" | "html" | "test";

/** Sends a file in parts, since Node-RED takes no long requests. Returns what a span calls it. */
async function upload(text: string): Promise<string> {
  const id = crypto.getRandomValues(new Uint32Array(2)).join("-");
  for (let index = 0; index === 0 || index * UPLOAD.part < text.length; index += 1) {
    const part = text.slice(index * UPLOAD.part, (index + 1) * UPLOAD.part);
    const question: UploadQuestion = { upload: id, index, text: part };
    await answered(postJson<object>("crec/rehearsal/upload", question));
  }
  return id;
}

async function answered<T>(asked: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await asked;
  } catch (failure) {
    const refusal = refusalOf(failure);
    if (refusal !== undefined) throw new Error(word(`error.${refusal}`));
    const { status } = failure as { status?: number };
    throw new Error(word(status === 413 ? "error.too-large" : "error.unanswered"));
  }
  if (answer.problem !== undefined) throw new Error(answer.problem);
  return answer as T;
}

/** Has the browser save a file. */
export function saveFile({ name, type, text }: SavedFile): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = make("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
