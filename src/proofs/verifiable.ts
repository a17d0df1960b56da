/**
 * Whether events of this type and status carry a proof. It may come a little later than the event.
 * @example
 * isVerifiable("operation.status", "confirmed"); // → true
 * isVerifiable("operation.status", "sent"); // → false
 */
export function isVerifiable(type: string, status?: string): boolean {
  switch (type) {
    case "watcher.event":
      return true;
    case "operation.status":
      return status === "confirmed_latest" || status === "confirmed_safe" || status === "confirmed";
    case "query.status":
      return status === "completed" || status === "failed";
    default:
      return false;
  }
}
