/** The place in a list that the path of a page has, as a query; empty for the first page. */
export function placeOf(page: string | null | undefined): { page_number?: number; page_token?: string } {
  if (page === null || page === undefined) return {}
  const query = new URL(page, location.origin).searchParams
  const token = query.get('page_token')
  return { page_number: Number(query.get('page_number')), ...(token && { page_token: token }) }
}
