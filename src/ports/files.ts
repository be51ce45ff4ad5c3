// Files that a charger sends away or fetches: logs and diagnostics go up, firmware comes down.

/** Longer firmware than this is not fetched to its end. */
export const maxDownloadBytes = 256 * 1024 * 1024;

export interface TransferOptions {
  /** Ends the transfer early; the promise then rejects like any other failure. */
  readonly signal?: AbortSignal;
  /** Certificates (PEM) of authorities to trust beside those of the system, for `https` and `ftps`. */
  readonly roots?: readonly string[];
}

/**
 * `location` is a URL of the scheme `http`, `https`, `ftp` or `ftps`, credentials in it are used. Every transfer ends by itself: it
 * fails when nothing moves for half a minute, and after ten minutes in any case. Failures are `file_unsupported` (no such scheme, or
 * no URL at all), `file_denied` (the other side does not let this charger), `file_too_large` and `file_failed` (anything else).
 */
export interface Files {
  /**
   * Puts a file of this name into the place `location`. Over HTTP that is a PUT to the place with the name appended, and where the
   * server knows no such thing a POST to the place itself.
   */
  upload(location: string, fileName: string, content: Uint8Array, options?: TransferOptions): Promise<void>;

  /** Fetches a file piece by piece: it may be larger than what fits into memory a thousand times. HTTP redirects are followed. */
  download(location: string, take: (piece: Uint8Array) => void, options?: TransferOptions): Promise<void>;
}
