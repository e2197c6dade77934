import { type RefObject, useEffect, useState } from 'react'

/** Whether any of an element is within the window. */
export function useIsVisible(element: RefObject<Element | null>): boolean {
  const [isVisible, setVisible] = useState(false)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver((entries) =>
      setVisible(entries.at(-1)?.isIntersecting ?? false),
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return isVisible
}
