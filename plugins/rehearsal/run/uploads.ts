import { fieldsOf, invalidRequest } from "../../../nodes/common/admin/answer.ts";
import { UPLOAD, type UploadQuestion } from "../types.ts";

/** The file of events that was uploaded last. It comes in parts, and is kept until another one begins. */
export class Uploads {
  #name = "";
  #parts: string[] = [];
  #length = 0;

  /** @throws INVALID_REQUEST */
  add(body: unknown): void {
    const { upload, index, text } = fieldsOf(body) as Partial<UploadQuestion>;
    if (typeof upload !== "string" || typeof text !== "string" || text.length > UPLOAD.part)
      invalidRequest(`Send "upload", "index" and "text" of up to ${UPLOAD.part} characters.`);
    if (index === 0) {
      [this.#name, this.#parts, this.#length] = [upload, [], 0];
    }
    if (upload !== this.#name || index !== this.#parts.length) notThere();
    if (this.#length + text.length > UPLOAD.most) {
      this.#parts = [];
      invalidRequest("The file of events has more than 64 MB. Record a shorter span, and choose that file.");
    }
    this.#parts.push(text);
    this.#length += text.length;
  }

  /** @throws INVALID_REQUEST */
  text(upload: string): string {
    return upload === this.#name && this.#parts.length > 0 ? this.#parts.join("") : notThere();
  }
}

function notThere(): never {
  return invalidRequest(
    "The uploaded file is not there any more: another upload has replaced it. Choose the file again.",
  );
}
