import { type TSchema, Type } from 'typebox'
import { Answer, Nullable } from './building-blocks.ts'

export const PAGE_SIZE_MAX = 1000
export const PAGE_SIZE_DEFAULT = 50

/** Query parameters of every list. */
export const pagingFields = {
  page_number: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'Number of the page, from 0. Above 0 it needs the `page_token` of a link.',
  }),
  page_size: Type.Integer({
    minimum: 1,
    maximum: PAGE_SIZE_MAX,
    default: PAGE_SIZE_DEFAULT,
    description: 'How many items a page has at most.',
  }),
  page_token: Type.Optional(
    Type.String({
      maxLength: 4000,
      'x-error-codes': { maxLength: 'page_token_is_invalid', type: 'page_token_is_invalid' },
      examples: ['PA5kZWFkYmVlZg'],
      description: 'Place in the list, from a link of another page.',
    }),
  ),
}

/** Query of a list without parameters of its own. */
export const PagingQuery = Type.Object(pagingFields)

export const PageLinks = Answer(
  {
    self: Type.String({
      examples: ['/api/video/rooms?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg'],
      description: 'This page.',
    }),
    first: Type.String({
      examples: ['/api/video/rooms?page_number=0&page_size=50'],
      description: 'The first page.',
    }),
    next: Nullable(
      Type.String({
        examples: ['/api/video/rooms?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg'],
        description: 'The next page; null on the last.',
      }),
    ),
    prev: Nullable(
      Type.String({
        examples: ['/api/video/rooms?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ'],
        description: 'The page before; null on the first.',
      }),
    ),
  },
  {
    title: 'PageLinks',
    description: 'Paths of other pages, relative to the server. Follow these rather than computing pages.',
  },
)

/** The answer of a list. */
export const Page = <Item extends TSchema>(item: Item) =>
  Answer(
    { links: PageLinks, data: Type.Array(item, { description: 'The items of this page.' }) },
    {
      ...('title' in item && { title: `${item.title}Page` }),
      description: 'One page of a list.',
    },
  )
