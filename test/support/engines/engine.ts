/** One tab of a browser. Elements are given as CSS selectors. */
export interface Tab {
  /** Returns when the page has loaded. */
  open(url: string): Promise<unknown>
  url(): Promise<string>
  /** The value of an expression in the page. */
  run<T>(expression: string): Promise<T>
  /** With a real pointer: the browser takes it for a click of its user. */
  click(selector: string): Promise<unknown>
  /** Replaces the value of a field, with real keys. */
  fill(selector: string, value: string): Promise<unknown>
  back(): Promise<unknown>
  /** Other tabs are hidden then. */
  bringToFront(): Promise<unknown>
  resize(width: number, height: number): Promise<unknown>
  /** A PNG of the whole page, or of the part that is shown. */
  picture(part: 'whole' | 'shown'): Promise<Uint8Array>
}

export interface EngineOptions { scheme?: 'light' | 'dark' }

/** A browser with a new profile, in English. It ends with the test. */
export interface Engine {
  /** What the dashboard calls it. */
  device: string
  newTab(): Promise<Tab>
  /** The names of all cookies of the site that is open. */
  cookies(): Promise<string[]>
  /** For the host of the site that is open. */
  addCookie(cookie: { name: string, value: string, domain: string, path: string }): Promise<unknown>
  deleteCookie(name: string): Promise<unknown>
}
